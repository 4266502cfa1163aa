package calc_test

import (
	"slices"
	"strings"
	"testing"
)

// Both forms hold the same words: only the layout differs.
func TestCellsAreTheWordsOfText(t *testing.T) {
	f, err := workedExample().Calculate()
	if err != nil {
		t.Fatal(err)
	}
	var text, cells strings.Builder
	if err := f.Text(&text); err != nil {
		t.Fatal(err)
	}
	rows := f.Cells()
	for _, row := range rows {
		cells.WriteString(strings.Join(row, " ") + "\n")
	}
	if !slices.Equal(strings.Fields(text.String()), strings.Fields(cells.String())) {
		t.Errorf("cells\n%s\ntext\n%s", &cells, &text)
	}
	if !slices.ContainsFunc(rows, func(row []string) bool {
		return slices.Equal(row, []string{"fallback ratio", "0.3579%", "1,432 a day"})
	}) {
		t.Errorf("no row for the fallback ratio in %q", rows)
	}
}
