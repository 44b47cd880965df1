package traceset

import (
	"fmt"
	"strconv"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// Params that may spell the number of a repetition, as package series reads them.
const (
	param     = "repetition"
	iteration = "iteration" // of keyvals, whose records have the number, too
)

// maxNumber is the largest number that package series takes for that of a repetition.
const maxNumber = 999_999_999

// A Numberer changes the params of records with a Repetition so that a format can hold them, and
// they are read back with the same series and number. The zero Numberer is ready for use.
type Numberer struct {
	record  format.Record // that was made last
	params  traceid.Params
	base    traceid.Params // of the last record, without its number
	number  int
	text    string // of the number
	written Set    // the last number of each base
}

// WithParam returns rec with its number in the param repetition, and not in the param iteration.
// The result is valid until the next call.
func (n *Numberer) WithParam(rec *format.Record) (*format.Record, error) {
	if err := n.split(rec); err != nil {
		return nil, err
	}
	return n.withParam(rec)
}

// Ordered returns rec for a format in which the order numbers the repetitions of a trace. If the
// number is not the next one, only a param can say it: then inOrder is false, and the result has
// the param repetition. The result is valid until the next call. After it was written, call Wrote.
func (n *Numberer) Ordered(rec *format.Record) (fit *format.Record, inOrder bool, err error) {
	if err := n.split(rec); err != nil {
		return nil, false, err
	}
	if n.number > n.Last()+1 {
		fit, err = n.withParam(rec)
		return fit, false, err
	}
	n.record = *rec
	n.record.Params, n.record.Source = n.base, format.Source{}
	return &n.record, true, nil
}

// Last returns the greatest number that was written of the trace of the last record.
func (n *Numberer) Last() int { return n.written.Last(n.base) }

// Wrote notes that the record that Ordered returned was written.
func (n *Numberer) Wrote() {
	n.written.Lines = true
	n.written.Next(n.base, n.number, format.Limits{}.WithDefaults().MaxUniqueTraces)
}

// split sets the number of rec, and its params without the ones that spell the number.
func (n *Numberer) split(rec *format.Record) error {
	if rec.Repetition < 1 || rec.Repetition > maxNumber {
		return fmt.Errorf("repetition is %d: want a number from 1 to %d", rec.Repetition, maxNumber)
	}
	if n.number != rec.Repetition {
		n.number, n.text = rec.Repetition, strconv.Itoa(rec.Repetition)
	}
	n.base = n.base[:0]
	for _, p := range rec.Params {
		if p.Value != n.text || p.Key != param && p.Key != iteration {
			n.base = append(n.base, p)
		}
	}
	return nil
}

func (n *Numberer) withParam(rec *format.Record) (*format.Record, error) {
	at, found := n.base.Find(param)
	if found {
		return nil, fmt.Errorf("repetition is %d, but param %q is %s: both would be the param", n.number, param,
			message.Quote(n.base[at].Value))
	}
	n.params = append(n.params[:0], n.base[:at]...)
	n.params = append(n.params, traceid.Param{Key: param, Value: n.text})
	n.params = append(n.params, n.base[at:]...)
	n.record = *rec
	n.record.Params, n.record.Source = n.params, format.Source{}
	return &n.record, nil
}
