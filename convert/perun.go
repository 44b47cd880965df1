package convert

import (
	"cmp"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
	"perfdata/traceid"
)

type perunTarget struct {
	out    *sink
	writer *Writer
	w      *perun.Writer
	common *common
	header perun.Header
	uids   memory
	units  map[[2]string]struct{} // types and subtypes whose units become members of the header
	last   [2]string              // type and subtype with a unit that the header can have
}

func toPerun(w *Writer, s *Survey) target {
	out := w.out
	t := &perunTarget{
		out: out, writer: w, common: &s.params, uids: newMemory(out), units: make(map[[2]string]struct{}),
	}

	h := perun.Header{Type: perun.TypeMixed}

	if s.own.perun != nil {
		h = t.complete(*s.own.perun)
		own := profileMembers(s.own.perun)
		s.members.drop(out, func(name string) bool {
			return slices.ContainsFunc(own, func(m member) bool { return m.name == name })
		})
	} else {
		s.members.drop(out, named())
		for _, m := range []struct {
			to   *string
			name string
		}{{&h.Cmd, "cmd"}, {&h.Args, "args"}, {&h.Workload, "workload"}, {&h.Collector.Name, "collector"}} {
			*m.to, _ = s.params.get(m.name)
		}

		if h.Collector.Name == "" {
			h.Collector.Name = "perfdata"
		}
	}

	h.Origin = w.commit
	w.countGaps()
	t.header = h
	t.w = perun.NewWriter(out, h)
	t.w.KeepParams = true
	return t
}

func (t *perunTarget) write(m *measurement) error {
	rec := m.withParams(m.base)
	t.out.dropLinks(rec)
	fit := format.Record{Params: rec.Params, Value: rec.Value, Attrs: rec.Attrs}
	if t.writer.source.own {
		fit.Params = t.require(rec, rec.Params)
	} else {
		fit.Params, fit.Attrs = t.params(rec), t.attrs(rec)
	}
	if !t.hasUnit(&fit) {
		t.out.leftOut(rec, message.Limit("MaxParams", int64(t.out.limits.MaxParams), "units"))
		return nil
	}
	if err := t.remember(&fit); err != nil {
		return err
	}
	err := t.w.Write(&fit)
	if err != nil && t.out.err == nil {
		t.out.refused(rec, err)
		return nil
	}
	return err
}

// writeModel writes a model, if the format's Writer does not refuse it.
func (t *perunTarget) writeModel(m *perun.Model) error {
	err := t.w.WriteModel(m)
	if err != nil && t.out.err == nil {
		t.out.count(LostModels, m.Kind(), func() string { return shorten(err.Error()) })
		return nil
	}
	return err
}

// remember charges what the format's Writer remembers: of each uid, how many types it has.
func (t *perunTarget) remember(fit *format.Record) error {
	uid, _ := fit.Params.Get("uid")
	return t.uids.add(uid, entryBytes(24))
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
	_, said := t.header.Units.Get(name)
	if !said && len(t.units)+len(t.header.Units) >= t.out.limits.MaxParams {
		return false
	}
	if !said {
		t.units[kind] = struct{}{}
	}
	t.last = kind
	return true
}

func (t *perunTarget) close() error { return t.w.Close() }

// complete returns the header of a profile with what the format requires, and without what no
// profile may have.
func (t *perunTarget) complete(h perun.Header) perun.Header {
	switch h.Type {
	case perun.TypeTime, perun.TypeMemory, perun.TypeMixed:
	default:
		h.Type = perun.TypeMixed
	}
	h.Collector.Name = cmp.Or(h.Collector.Name, "perfdata")
	var kept perun.Fields
	for _, f := range h.Other {
		if holdsResources(f.Value) {
			t.out.count(LostHeader, f.Key, func() string { return f.Key + ", which holds resources" })
			continue
		}
		kept = append(kept, f)
	}
	h.Other = kept
	return h
}

// holdsResources reports whether another member of a profile holds resources, which would be
// misplaced there.
func holdsResources(v perun.Value) bool {
	if list := v.List(); len(list) > 0 {
		v = list[0]
	}
	_, ok := v.Fields().Get("resources")
	return ok
}

// require returns the params with those that the format requires, and those that are given.
func (t *perunTarget) require(rec *format.Record, params traceid.Params, more ...traceid.Param) traceid.Params {
	var added []traceid.Param
	add := func(key string, value func() string) {
		if _, ok := params.Get(key); ok {
			return
		}
		if value := value(); value != "" {
			if added == nil {
				added = make([]traceid.Param, 0, 3+len(more))
			}
			added = append(added, traceid.Param{Key: key, Value: value})
			t.out.countParam(key, value, rec)
		}
	}
	add("collector", func() string { return t.header.Collector.Name })
	add("type", func() string { return perun.TypeMixed })
	add("uid", func() string { return t.uid(rec) })
	for _, p := range more {
		add(p.Key, func() string { return p.Value })
	}
	if len(added) == 0 {
		return params
	}
	return traceid.Merge(params, traceid.FromPairs(added...))
}

// params returns the params of a resource: those that the format requires, and the record's,
// which become fields.
func (t *perunTarget) params(rec *format.Record) traceid.Params {
	h := &t.header
	params := mapPairs(t.out, rec, rec.Params, func(p traceid.Param) traceid.Param {
		p.Key, p.Value = strings.ToValidUTF8(p.Key, "_"), strings.ToValidUTF8(p.Value, "_")
		value, ofHeader := headerParam(h, p.Key)
		switch {
		case ofHeader && p.Value != value, p.Key == "amount", strings.HasPrefix(p.Key, "uid:"):
			p.Key += "_"
		case p.Value == "" && (p.Key == "type" || p.Key == "subtype" || p.Key == "uid" || p.Key == "unit"):
			p.Value = "_"
		}
		return p
	})

	unit, ok := params.Get("unit")
	if !ok {
		unit, _ = params.Get("units")
	}
	for _, p := range params {
		switch p.Key {
		case "cmd", "args", "workload", "collector", "type", "subtype", "uid", "unit":
		default:
			t.out.count(MovedToAttrs, p.Key, pairOf(p.Key, p.Value, rec))
		}
	}
	// Each type and subtype has one unit.
	return t.require(rec, params, traceid.Param{Key: "unit", Value: unit}, traceid.Param{Key: "subtype", Value: unit})
}

// headerParam returns the value of a param that the header gives to every measurement, and whether
// the key is that of one.
func headerParam(h *perun.Header, key string) (value string, ok bool) {
	switch key {
	case "cmd":
		return h.Cmd, true
	case "args":
		return h.Args, true
	case "workload":
		return h.Workload, true
	case "collector":
		return h.Collector.Name, true
	}
	return "", false
}

// uid returns a name for what was measured: the values of the params that vary.
func (t *perunTarget) uid(rec *format.Record) string {
	var parts []string
	for _, p := range rec.Params {
		if p.Key != "unit" && p.Key != "units" && !t.common.has(p.Key) {
			parts = append(parts, traceid.CanonicalString(p.Value))
		}
	}
	for _, key := range []string{"name", "test", "key"} {
		if value, ok := rec.Params.Get(key); ok && len(parts) == 0 {
			parts = append(parts, traceid.CanonicalString(value))
		}
	}
	if len(parts) == 0 {
		return "measurement"
	}
	return cutName(strings.Join(parts, "."))
}

// attrs returns the attributes that do not collide with params.
func (t *perunTarget) attrs(rec *format.Record) traceid.Params {
	var kept []traceid.Param
	for _, p := range rec.Attrs {
		q := traceid.Param{Key: strings.ToValidUTF8(p.Key, "_"), Value: strings.ToValidUTF8(p.Value, "_")}
		_, both := rec.Params.Get(q.Key)
		switch q.Key {
		case "amount", "uid", "type", "subtype", "unit", "cmd", "args", "workload", "collector":
			both = true
		}
		if both || q != p || strings.HasPrefix(q.Key, "uid:") {
			t.out.count(LostAttrs, p.Key, pairOf(p.Key, p.Value, rec))
			continue
		}
		kept = append(kept, q)
	}
	return traceid.FromPairs(kept...)
}
