package calc

import (
	"io"
	"strings"
)

// Cells returns what Text writes, cell by cell: rows of one cell are sentences
// or titles, and a row of none is blank.
func (f Fallback) Cells() [][]string { return cells(f.write) }

// Cells returns what Text writes, cell by cell: rows of one cell are sentences,
// a row of none is blank, and the row below it heads a table.
func (t Timeout) Cells() [][]string { return cells(t.write) }

// Cells returns what Text writes, cell by cell: rows of one cell are sentences,
// a row of none is blank, and the row below it heads a table.
func (b Budget) Cells() [][]string { return cells(b.write) }

func cells(write func(io.Writer)) [][]string {
	var text strings.Builder
	write(&text)
	var rows [][]string
	for line := range strings.Lines(text.String()) {
		var row []string
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			row = strings.Split(line, "\t")
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}
