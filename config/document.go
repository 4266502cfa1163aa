package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const emptyFile = "is empty: prometheus.url and at least one dependency are needed"

// parseDocument gives the root of the only document in data. The problem says
// no more than what the file's own words cannot betray: an alias or a tag may
// be a password that lacks its quotes.
func parseDocument(data []byte) (*yaml.Node, *Problem) {
	if p := badCharacter(data); p != nil {
		return nil, p
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &Problem{Message: emptyFile}
	case err != nil:
		return nil, syntaxProblem(err, data)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, syntaxProblem(err, data)
	default:
		return nil, &Problem{Line: second.Line, Message: "a second document begins here; one file holds one document"}
	}
	root := resolve(doc.Content[0])
	if isNull(root) {
		return nil, &Problem{Message: emptyFile}
	}
	return root, nil
}

// badCharacter finds what YAML forbids anywhere. The library reports these
// without a line.
func badCharacter(data []byte) *Problem {
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			return &Problem{Line: line, Message: "is not UTF-8 text"}
		case r == '\n':
			line++
		case r < ' ' && r != '\t' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85:
			return &Problem{Line: line, Message: "holds the control character " + strconv.QuoteRuneToASCII(r)}
		}
		rest = rest[size:]
	}
	return nil
}

// syntaxProblem turns an error of the YAML library into a problem on the right
// line. The library counts from 0 in its parser's errors ("did not find
// expected …") and from 1 in its scanner's, and leaves the first line out.
func syntaxProblem(err error, data []byte) *Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^unknown anchor '(.*)' referenced$`).FindStringSubmatch(text); m != nil {
		return &Problem{Line: lineOf(data, "*"+m[1]), Message: "an alias (*) refers to no anchor; a value that begins with * needs quotes"}
	}
	line := 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1]) // the pattern admits digits only
		text = text[len(m[0]):]
		if strings.HasPrefix(text, "did not find expected") {
			line++
		}
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	line = min(line, len(lines))
	return &Problem{Line: line, Message: explainSyntax(text, lines[line-1])}
}

func explainSyntax(text, line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch {
	case strings.Contains(indent, "\t"):
		return "is not YAML: the line is indented by a tab; YAML takes only spaces"
	case strings.Contains(text, "cannot start any token"):
		return "is not YAML: a value that begins with @, %, a backquote or a tab needs quotes"
	case strings.Contains(text, "mapping values are not allowed"):
		return "is not YAML: a key where none may stand; is the indentation right, and a value with ': ' in it quoted?"
	case strings.HasPrefix(text, "did not find expected key"), strings.HasPrefix(text, "did not find expected '-'"):
		return "is not YAML: " + text + "; is the line indented like its neighbours?"
	case strings.HasPrefix(text, "did not find expected ','"):
		return "is not YAML: " + text + "; inside brackets and braces, a value that holds any needs quotes"
	}
	return "is not YAML: " + text
}

// lineOf gives the line, from 1, of the first occurrence of text in data.
func lineOf(data []byte, text string) int {
	before, _, found := bytes.Cut(data, []byte(text))
	if !found {
		return 0
	}
	return 1 + bytes.Count(before, []byte("\n"))
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}
