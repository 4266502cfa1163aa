package config

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxName bounds names that become label values.
const maxName = 500

// scalar gives the text of a single value as the file spells it, so that an
// owner of 007 or a name of no survives YAML's ideas about types.
func (v value) scalar(want string) (string, bool) {
	if v.node.Kind != yaml.ScalarNode || isNull(v.node) {
		v.refuse("must be %s%s", want, v.got())
		return "", false
	}
	switch v.node.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
		return v.node.Value, true
	}
	v.refuse("must be %s; a YAML tag (!) has no meaning here, and a value that begins with ! needs quotes", want)
	return "", false
}

// isNumber says that YAML takes the value for a number.
func (v value) isNumber() bool {
	return v.node.ShortTag() == "!!int" || v.node.ShortTag() == "!!float"
}

// name reads text that becomes a label value.
func (v value) name() (string, bool) {
	text, ok := v.scalar("text")
	switch {
	case !ok:
		return "", false
	case strings.ContainsFunc(text, unicode.IsControl):
		v.refuse("must not hold control characters%s", v.got())
		return "", false
	case utf8.RuneCountInString(text) > maxName:
		v.refuse("must be at most %d characters long, got %d", maxName, utf8.RuneCountInString(text))
		return "", false
	}
	return text, true
}

// name reads an optional name into a field.
func name[T any](field func(*T) *string) func(value, *T) {
	return func(v value, into *T) {
		if text, ok := v.name(); ok {
			*field(into) = text
		}
	}
}

// oneOf reads one of a few words into a field.
func oneOf[T any](words []string, field func(*T) *string) func(value, *T) {
	return func(v value, into *T) {
		text, ok := v.scalar(enumerate(words, "or"))
		if !ok {
			return
		}
		if !slices.Contains(words, text) {
			v.refuse("must be %s%s", enumerate(words, "or"), v.got())
			return
		}
		*field(into) = text
	}
}

// boolean reads true or false. The yes and on of YAML 1.1 are refused, because
// tools disagree about them.
func (v value) boolean() (bool, bool) {
	if v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!bool" {
		switch strings.ToLower(v.node.Value) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	}
	switch strings.ToLower(v.node.Value) {
	case "true", "false":
		v.refuse("must be true or false, got the text %s; remove the quotes", strconv.Quote(v.node.Value))
	default:
		v.refuse("must be true or false%s", v.got())
	}
	return false, false
}

func boolean[T any](field func(*T) *bool) func(value, *T) {
	return func(v value, into *T) {
		if b, ok := v.boolean(); ok {
			*field(into) = b
		}
	}
}

// limits bound a number. The zero value admits any that is not negative.
type limits struct {
	min, max     float64 // a max of 0 is none
	above, below bool    // min and max themselves are out
}

// number reads a plain decimal number. YAML's others are refused: 0x10 and 0200
// (which is 128) surprise, and .nan and .inf are no settings.
func (v value) number(l limits) (float64, bool) {
	text, ok := v.scalar("a number")
	if !ok {
		return 0, false
	}
	x, isDecimal := decimal(text)
	switch {
	case isDecimal && !v.isNumber():
		v.refuse("must be a number, got the text %s; remove the quotes", strconv.Quote(text))
		return 0, false
	case !isDecimal:
		v.refuse("must be a plain decimal number%s", v.got())
		return 0, false
	}
	return x, v.within(x, l)
}

// within refuses what is out of bounds.
func (v value) within(x float64, l limits) bool {
	format := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case l.above && !(x > l.min):
		v.refuse("must be above %s%s", format(l.min), v.got())
	case !(x >= l.min):
		v.refuse("must be at least %s%s", format(l.min), v.got())
	case l.max != 0 && l.below && !(x < l.max):
		v.refuse("must be below %s%s", format(l.max), v.got())
	case l.max != 0 && !(x <= l.max):
		v.refuse("must be at most %s%s", format(l.max), v.got())
	default:
		return true
	}
	return false
}

// decimal parses 5, -0.25 or 1e-3; nothing that overflows.
func decimal(text string) (float64, bool) {
	digits := strings.TrimLeft(text, "+-")
	if strings.Trim(text, "0123456789+-.eE") != "" || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	if x == 0 {
		x = 0 // and not -0
	}
	return x, err == nil
}

func number[T any](l limits, field func(*T) *float64) func(value, *T) {
	return func(v value, into *T) {
		if x, ok := v.number(l); ok {
			*field(into) = x
		}
	}
}

// whole reads a whole number; l.max must be set and small enough for an int.
func whole[T any](l limits, field func(*T) *int) func(value, *T) {
	return func(v value, into *T) {
		x, ok := v.number(l)
		switch {
		case !ok:
		case x != math.Trunc(x):
			v.refuse("must be a whole number%s", v.got())
		default:
			*field(into) = int(x)
		}
	}
}
