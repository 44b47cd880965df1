package store

import (
	"database/sql"
	"testing"
)

// textRows returns the rows of a query, with blanks between their values.
func textRows(t *testing.T, s *Store, query string) []string {
	t.Helper()
	var texts []string
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(t.Context(), query)
		if err != nil {
			return err
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		row := make([]any, len(columns))
		for i := range row {
			row[i] = new(sql.NullString)
		}
		for rows.Next() {
			if err := rows.Scan(row...); err != nil {
				return err
			}
			text := ""
			for _, value := range row {
				text += value.(*sql.NullString).String + " "
			}
			texts = append(texts, text)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
