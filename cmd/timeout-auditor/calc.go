package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/calc"
)

// calcCommands declares the calculators. Their flags are text here: package
// calc reads them, so that the web form and the command line take and refuse
// the same values in the same words.
func calcCommands(app *kingpin.Application) map[string]action {
	parent := app.Command("calc", "Calculate by hand, without a server: fallbacks, timeouts, budgets.")
	return map[string]action{
		"calc fallback": calcFallback(parent),
		"calc timeout":  calcTimeout(parent),
		"calc budget":   calcBudget(parent),
	}
}

func calcFallback(parent *kingpin.CmdClause) action {
	command := parent.Command("fallback", "How many calls use up all their attempts and end in a fallback.")
	f := newCalcFlags(command)
	f.text("p50", "DURATION", "Median latency of an attempt, such as 180ms.")
	f.text("p99", "DURATION", "99th percentile of the latency.")
	f.text("timeout", "DURATION", "Timeout of an attempt.")
	f.number("retries", "0", "Attempts after the first.")
	f.number("correlation", "0.5", "Share of calls whose attempts all meet one fate: 0 independent, 1 always.")
	f.number("error-ratio", "0", "Share of attempts that fail otherwise than by timeout.")
	f.text("calls-per-day", "NUMBER", "Also show calls a day.")
	f.flag("retry-on-timeout", "Timeouts are retried, as errors are.")
	return f.calculate(func(v calc.Values) (result, error) {
		in, err := calc.FallbackFrom(v)
		if err != nil {
			return nil, err
		}
		return in.Calculate()
	})
}

func calcTimeout(parent *kingpin.CmdClause) action {
	command := parent.Command("timeout", "What timeouts cost in false timeouts and how late they notice a dead callee.")
	f := newCalcFlags(command)
	f.text("p50", "DURATION", "Median latency of an attempt, such as 180ms.")
	f.text("p99", "DURATION", "99th percentile of the latency.")
	f.text("sigma", "NUMBER", "Standard deviation of ln latency, in place of --p99.")
	f.list("timeout", "DURATION", "Look at this timeout too; may be repeated.")
	return f.calculate(func(v calc.Values) (result, error) {
		in, err := calc.TimeoutFrom(v)
		if err != nil {
			return nil, err
		}
		return in.Calculate()
	})
}

func calcBudget(parent *kingpin.CmdClause) action {
	command := parent.Command("budget", "How a deadline divides among calls made one after another.")
	f := newCalcFlags(command)
	f.text("deadline", "DURATION", "Deadline of the whole, such as 2s.")
	f.text("hops", "NUMBER", "Calls in a row; as many as --p99 is given by default. Calls in parallel count as one, the slowest.")
	f.number("retries", "0", "Attempts after the first, at every hop.")
	f.text("overhead", "DURATION", "What each attempt costs beside its latency.")
	f.list("p99", "DURATION", "99th percentile of a hop's latency: once for all, or once per hop.")
	f.text("rate", "NUMBER", "Calls per second, to show requests per second.")
	return f.calculate(func(v calc.Values) (result, error) {
		in, err := calc.BudgetFrom(v)
		if err != nil {
			return nil, err
		}
		return in.Calculate()
	})
}

// result is what a calculator works out.
type result interface {
	Text(w io.Writer) error
}

// calcFlags declares the flags of one calculator and collects their values.
type calcFlags struct {
	command *kingpin.CmdClause
	values  map[string]func() []string
	output  *string
}

func newCalcFlags(command *kingpin.CmdClause) *calcFlags {
	return &calcFlags{
		command: command,
		values:  map[string]func() []string{},
		output:  command.Flag("output", "Form of the result: table or json.").Default("table").Enum("table", "json"),
	}
}

func (f *calcFlags) text(name, placeholder, help string) {
	value := f.command.Flag(name, help).PlaceHolder(placeholder).String()
	f.values[name] = func() []string { return []string{*value} }
}

func (f *calcFlags) number(name, missing, help string) {
	value := f.command.Flag(name, help).Default(missing).String()
	f.values[name] = func() []string { return []string{*value} }
}

func (f *calcFlags) list(name, placeholder, help string) {
	value := f.command.Flag(name, help).PlaceHolder(placeholder).Strings()
	f.values[name] = func() []string { return *value }
}

func (f *calcFlags) flag(name, help string) {
	value := f.command.Flag(name, help).Default("true").Bool()
	f.values[name] = func() []string { return []string{strconv.FormatBool(*value)} }
}

// calculate returns the action: read, work out, print.
func (f *calcFlags) calculate(work func(calc.Values) (result, error)) action {
	return func(_ context.Context, c console) int {
		values := calc.Values{}
		for name, value := range f.values {
			values[name] = value()
		}
		answer, err := work(values)
		if err != nil {
			var input *calc.InputError
			if errors.As(err, &input) {
				fmt.Fprintf(c.stderr, "timeout-auditor: --%v\n", err)
				return exitUsage
			}
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitFailed
		}
		if err := f.print(c.stdout, answer); err != nil {
			fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
			return exitFailed
		}
		return exitOK
	}
}

func (f *calcFlags) print(w io.Writer, answer result) error {
	if *f.output == "table" {
		return answer.Text(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
