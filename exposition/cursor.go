package exposition

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
)

// cursor walks through one line of text.
type cursor struct {
	text string
	at   int
}

func (c *cursor) rest() string { return c.text[c.at:] }

func (c *cursor) skipBlank() {
	for c.at < len(c.text) && (c.text[c.at] == ' ' || c.text[c.at] == '\t') {
		c.at++
	}
}

// accept steps over the given byte, if it is next.
func (c *cursor) accept(b byte) bool {
	if c.at < len(c.text) && c.text[c.at] == b {
		c.at++
		return true
	}
	return false
}

// until takes everything before the first of the given bytes.
func (c *cursor) until(stops string) string {
	from := c.at
	if i := strings.IndexAny(c.rest(), stops); i >= 0 {
		c.at += i
	} else {
		c.at = len(c.text)
	}
	return c.text[from:c.at]
}

// sample reads NAME{LABELS} VALUE [TIMESTAMP] [# EXEMPLAR]. Names may be quoted,
// and a quoted metric name stands among the labels.
func (c *cursor) sample() (name string, s sample, err error) {
	if rest := c.rest(); strings.HasPrefix(rest, `"`) {
		return "", sample{}, errors.New("has a quoted metric name outside of braces")
	} else if !strings.HasPrefix(rest, "{") {
		if name, err = c.metricName(); err != nil {
			return "", sample{}, err
		}
		c.skipBlank()
	}
	if c.accept('{') {
		if name, s.labels, err = c.labels(name); err != nil {
			return "", sample{}, err
		}
	}
	if name == "" {
		return "", sample{}, errors.New("has labels and no metric name")
	}
	c.skipBlank()
	if s.value, err = c.number("value"); err != nil {
		return "", sample{}, err
	}
	c.skipBlank()
	if c.rest() != "" && c.text[c.at] != '#' {
		if _, err = c.number("timestamp"); err != nil {
			return "", sample{}, err
		}
		c.skipBlank()
	}
	if rest := c.rest(); rest != "" && rest[0] != '#' {
		return "", sample{}, fmt.Errorf("must end after value and timestamp, got %s", shown(rest))
	}
	return name, s, nil
}

// labels reads LABEL="VALUE", … and the closing brace. name is what stood before
// the braces.
func (c *cursor) labels(name string) (string, labels.Labels, error) {
	builder := labels.NewScratchBuilder(8)
	for {
		c.skipBlank()
		if c.accept('}') {
			break
		}
		label, quoted, err := c.name(isLabelByte, "a label name")
		if err != nil {
			return "", labels.EmptyLabels(), err
		}
		c.skipBlank()
		switch {
		case c.accept('='):
			c.skipBlank()
			value, err := c.quoted()
			if err != nil {
				return "", labels.EmptyLabels(), fmt.Errorf("label %s: %w", label, err)
			}
			if value != "" { // an empty label is none
				builder.Add(label, value)
			}
		case !quoted && c.accept(':'):
			return "", labels.EmptyLabels(), errComposite()
		case !quoted:
			return "", labels.EmptyLabels(), fmt.Errorf("label %s must be followed by = and a value in quotes, got %s", label, shown(c.rest()))
		case name != "":
			return "", labels.EmptyLabels(), fmt.Errorf("has two metric names, %s and %s", name, label)
		default:
			name = label
		}
		c.skipBlank()
		if !c.accept(',') && !strings.HasPrefix(c.rest(), "}") {
			return "", labels.EmptyLabels(), fmt.Errorf("must go on with a comma or } after label %s, got %s", label, shown(c.rest()))
		}
	}
	builder.Sort()
	ls := builder.Labels()
	if twice, ok := ls.HasDuplicateLabelNames(); ok {
		return "", labels.EmptyLabels(), fmt.Errorf("has the label %s twice", twice)
	}
	return name, ls, nil
}

func (c *cursor) metricName() (string, error) {
	name, _, err := c.name(isMetricByte, "a metric name")
	return name, err
}

// name reads a plain name, or any text in quotes.
func (c *cursor) name(belongs func(b byte, first bool) bool, what string) (name string, quoted bool, err error) {
	if strings.HasPrefix(c.rest(), `"`) {
		name, err = c.quoted()
		if err == nil && name == "" {
			err = fmt.Errorf("must have %s, got an empty one", what)
		}
		return name, true, err
	}
	from := c.at
	for c.at < len(c.text) && belongs(c.text[c.at], c.at == from) {
		c.at++
	}
	if c.at == from {
		return "", false, fmt.Errorf("must have %s here, got %s", what, shown(c.rest()))
	}
	return c.text[from:c.at], false, nil
}

func isMetricByte(b byte, first bool) bool { return b == ':' || isLabelByte(b, first) }

func isLabelByte(b byte, first bool) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || !first && b >= '0' && b <= '9'
}

// quoted reads text in double quotes, in which \\, \" and \n are escapes.
func (c *cursor) quoted() (string, error) {
	if !c.accept('"') {
		return "", fmt.Errorf("must be in double quotes, got %s", shown(c.rest()))
	}
	var b strings.Builder
	for {
		b.WriteString(c.until(`"\`))
		switch {
		case c.accept('"'):
			return b.String(), nil
		case !c.accept('\\') || c.at == len(c.text):
			return "", errors.New("lacks its closing quote")
		}
		b.WriteString(c.escaped())
	}
}

// escaped is what follows a backslash. One before anything else stands for
// itself.
func (c *cursor) escaped() string {
	for _, special := range []struct {
		written byte
		means   string
	}{{'n', "\n"}, {'"', `"`}, {'\\', `\`}} {
		if c.accept(special.written) {
			return special.means
		}
	}
	return `\`
}

// number reads a float as the formats write it; hexadecimal and underscores are
// Go's alone.
func (c *cursor) number(what string) (float64, error) {
	text := c.until(" \t#")
	if strings.HasPrefix(text, "{") {
		return 0, errComposite()
	}
	v, err := strconv.ParseFloat(text, 64)
	if outOfRange := errors.Is(err, strconv.ErrRange); err != nil && !outOfRange || strings.ContainsAny(text, "xXpP_") {
		return 0, fmt.Errorf("must have a number for its %s, got %s", what, shown(text))
	}
	return v, nil
}

func errComposite() error {
	return errors.New("has a composite value of OpenMetrics 2; fetch OpenMetrics 1, the text format or protobuf")
}
