package convert

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
	"perfdata/traceid"
)

// A perunTarget writes each measurement as it comes.
type perunTarget struct {
	*Writer
	w      *perun.Writer
	header perun.Header
	given  map[string]*string // its params
	seed   maphash.Seed
	uids   map[uint64]struct{}    // hashes of those that were charged
	named  []traceid.Param        // memory
	units  map[[2]string]struct{} // types and subtypes whose units become members of the header
	last   [2]string              // type and subtype with a unit that the header can have
}

func toPerun(w *Writer) (target, error) {
	s := w.survey
	t := &perunTarget{
		Writer: w, seed: maphash.MakeSeed(), uids: make(map[uint64]struct{}), units: make(map[[2]string]struct{}),
	}

	// The header of a profile gets the members that the format requires, and loses those that no
	// profile may have.
	h, own := s.own.Native.(perun.Header)
	if own {
		if !slices.Contains([]string{"time", "memory", "mixed"}, h.Type) {
			h.Type = "mixed"
		}
		h.Other = slices.DeleteFunc(slices.Clone(h.Other), func(f perun.Field) bool {
			if list := f.Value.List(); len(list) > 0 {
				f.Value = list[0]
			}
			_, misplaced := f.Value.Fields().Get("resources")
			if misplaced {
				t.out.count(lostHeader, f.Key)
			}
			return misplaced
		})
	} else {
		for key, value := range headerParams(&h) {
			*value, _ = s.header.Params.Get(key)
		}
		h.Type = "mixed"
	}
	h.Collector.Name = cmp.Or(h.Collector.Name, "perfdata")
	s.members.drop(w.out, format.Header{Native: s.own.Native}, false)

	h.Origin = w.commit
	t.header, t.given = h, headerParams(&t.header)
	t.w = perun.NewWriter(w.out, h)
	t.w.KeepParams = true
	return t, nil
}

func (t *perunTarget) write(m *measurement) error {
	t.out.dropLinks(m.rec, t.source.links)
	fit := format.Record{Params: m.identity, Value: m.value, Attrs: m.attrs}
	if m.own {
		fit.Params = t.require(m.params)
	} else {
		fit.Params, fit.Attrs = t.params(m), t.attrs(m)
		t.named = t.named[:0]
		for _, p := range fit.Params {
			if isParam(p.Key) {
				t.named = append(t.named, p)
			}
		}
		uid, _ := fit.Params.Get("uid")
		t.series.count(m, t.named, true, uid)
	}
	if !t.hasUnit(&fit) {
		t.out.count(LostRecords, message.Limit("MaxParams", int64(t.out.limits.MaxParams), "units"))
		return nil
	}

	// The format's Writer remembers how many types each uid has.
	uid, _ := fit.Params.Get("uid")
	hash := maphash.String(t.seed, uid)
	if _, known := t.uids[hash]; !known {
		if err := t.out.charge(entryBytes(16) + textBytes(uid) + entryBytes(24)); err != nil {
			return err
		}
		t.uids[hash] = struct{}{}
	}
	return t.out.refused(&fit, t.w.Write(&fit))
}

// writeModel writes a model, if the format's Writer does not refuse it.
func (t *perunTarget) writeModel(m *perun.Model) error {
	err := t.w.WriteModel(m)
	if err != nil && t.out.err == nil {
		t.out.count(lostModels, m.Kind())
	}
	return t.out.err
}

// hasUnit reports whether the header can have the unit of a record. It has one for each type and
// subtype, and not more than a Reader takes.
func (t *perunTarget) hasUnit(fit *format.Record) bool {
	unit, _ := fit.Params.Get("unit")
	typ, _ := fit.Params.Get("type")
	subtype, _ := fit.Params.Get("subtype")
	kind := [2]string{typ, subtype}
	if unit == "" || kind == t.last && typ != "" {
		return true
	}
	if _, ok := t.units[kind]; ok {
		return true
	}
	name := typ
	if subtype != "" {
		name += "(" + subtype + ")"
	}
	if _, said := t.header.Units.Get(name); !said {
		if len(t.units)+len(t.header.Units) >= t.out.limits.MaxParams {
			return false
		}
		t.units[kind] = struct{}{}
	}
	t.last = kind
	return true
}

func (t *perunTarget) close() error { return t.w.Close() }

// require returns the params with the params that the format requires, and the given ones.
func (t *perunTarget) require(params traceid.Params, more ...traceid.Param) traceid.Params {
	var added []traceid.Param
	for _, p := range append(more, traceid.Param{Key: "collector", Value: t.header.Collector.Name},
		traceid.Param{Key: "type", Value: "mixed"}, traceid.Param{Key: "uid", Value: "measurement"}) {
		if _, ok := params.Get(p.Key); !ok && p.Value != "" {
			added = append(added, p)
			t.out.count(addedParam, p.Key)
		}
	}
	if len(added) == 0 {
		return params
	}
	return traceid.Merge(params, traceid.FromPairs(added...))
}

// params returns the params of a resource: the params that the format requires, and the record's,
// which become fields.
func (t *perunTarget) params(m *measurement) traceid.Params {
	params := mapPairs(t.out, m.params, func(p traceid.Param) traceid.Param {
		p = validPair(p)
		given := t.given[p.Key]
		switch {
		case given != nil && p.Value != *given, p.Key == "amount", strings.HasPrefix(p.Key, "uid:"):
			p.Key += "_"
		case p.Value == "" && (p.Key == "type" || p.Key == "subtype" || p.Key == "uid" || p.Key == "unit"):
			p.Value = "_"
		}
		return p
	})

	unit, ok := params.Get("unit")
	if !ok {
		unit, _ = params.Get(paramUnits)
	}
	t.named = t.named[:0] // the params without a place of their own
	for _, p := range params {
		if !isParam(p.Key) {
			t.out.count(movedToAttrs, p.Key)
		}
		if p.Key == "uid" || !isParam(p.Key) {
			t.named = append(t.named, p)
		}
	}

	name := t.names.of(t.named)
	uid := name.join()
	if name.hasSub {
		uid += "." + cmp.Or(name.sub, "_")
	}
	if uid = strings.ToValidUTF8(cutName(uid), "_"); uid != "" {
		own, ok := params.Get("uid")
		switch {
		case !ok:
			t.out.count(addedParam, "uid")
		case own != uid:
			t.out.count(movedToName, "")
		}
		params = traceid.Merge(params, traceid.Of("uid", uid))
	}
	// Each type and subtype has one unit.
	return t.require(params, traceid.Param{Key: "unit", Value: unit}, traceid.Param{Key: "subtype", Value: unit})
}

// isParam reports whether a profile has a param. All others are fields, which are read as attributes.
func isParam(key string) bool {
	switch key {
	case "cmd", "args", "workload", "collector", "type", "subtype", "uid", "unit":
		return true
	}
	return false
}

// headerParams returns the params that a header gives to every measurement.
func headerParams(h *perun.Header) map[string]*string {
	return map[string]*string{"cmd": &h.Cmd, "args": &h.Args, "workload": &h.Workload, "collector": &h.Collector.Name}
}

// attrs returns the attributes that do not collide with params.
func (t *perunTarget) attrs(m *measurement) traceid.Params {
	var kept []traceid.Param
	for _, p := range m.attrs {
		_, both := m.params.Get(p.Key)
		if both || p.Key == "amount" || isParam(p.Key) || validPair(p) != p || strings.HasPrefix(p.Key, "uid:") {
			t.out.count(lostAttrs, p.Key)
			continue
		}
		kept = append(kept, p)
	}
	return kept
}
