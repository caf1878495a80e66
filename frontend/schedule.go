package frontend

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// scheduleNames are the entries of a schedule, with an example each.
var scheduleNames = []struct{ name, example string }{
	{"tile", "tile 32x32"}, {"map", "map j"}, {"grid", "grid 4x1"}, {"cpus", "cpus 2x1"}, {"group", "group vertical"},
	{"sub", "sub 4"}, {"assign", "assign cyclic"}, {"comm", "comm blocking"}, {"shape", "shape communication"},
}

// An entry is one line of a schedule: a name, and a value of tokens without space
// between them.
type entry struct {
	name, value token
}

// entries cuts the tokens of a schedule's block at semicolons and line ends.
func (c *checker) entries(st *statement) []entry {
	var out []entry
	var line []token
	end := func() {
		if len(line) == 0 {
			return
		}
		e := entry{name: line[0]}
		if sign := line[min(1, len(line)-1)]; len(line) > 1 && (sign.is("=") || sign.is(":") || sign.is("(")) && isEntry(e.name.text) {
			c.errorf(diag.Schedule, sign.span(), "unexpected %s: an entry of a schedule is a name and a value", sign.text).
				fix(join(e.name.span(), line[len(line)-1].span()), "%s %s", e.name.text, sizesText(line[2:]))
			line = nil
			return
		}
		for k, t := range line[1:] {
			if k > 0 && !t.glued {
				c.errorf(diag.Schedule, t.span(), "unexpected %s: an entry of a schedule is a name and a value", t.text).
					pattern("%s", exampleOf(e.name.text))
				line = nil
				return
			}
			if k == 0 {
				e.value = t
				continue
			}
			e.value.text += t.text
		}
		line = nil
		if e.value.text == "" {
			c.errorf(diag.Schedule, e.name.span(), "%s has no value", e.name.text).pattern("%s", exampleOf(e.name.text))
			return
		}
		out = append(out, e)
	}
	for _, t := range st.raw {
		if t.is(";") || len(line) > 0 && t.pos.Line != line[0].pos.Line {
			end()
		}
		if !t.is(";") {
			line = append(line, t)
		}
	}
	end()
	return out
}

// isEntry reports whether a schedule has an entry of that name.
func isEntry(name string) bool {
	return slices.ContainsFunc(scheduleNames, func(s struct{ name, example string }) bool { return s.name == name })
}

// sizesText returns the value of an entry with an x between the sizes, where the user has written another
// sign.
func sizesText(l []token) string {
	var b strings.Builder
	for _, x := range l {
		switch {
		case x.is(",") || x.is("*") || x.is(":"):
			b.WriteByte('x')
		case !x.opens() && !x.closes() && !x.is("="):
			b.WriteString(x.text)
		}
	}
	return b.String()
}

// exampleOf returns an example of the entry with that name or, if there is none, of an entire
// schedule.
func exampleOf(name string) string {
	for _, n := range scheduleNames {
		if n.name == name {
			return n.example
		}
	}
	return forms["schedule"]
}

// mayBeLoop reports whether a name is that of a loop, or the loops are not known because of a mistake.
func (c *checker) mayBeLoop(name string) bool {
	return c.loopless || slices.Contains(c.loopNames(), name)
}

// resolveSchedule resolves the schedule block of a file. The loops must be known, because
// numbers are per loop.
func (c *checker) resolveSchedule(st *statement) {
	s := &ir.Schedule{}
	seen := map[string]token{}
	for _, e := range c.entries(st) {
		name, value := e.name.text, e.value
		if first, ok := seen[name]; ok {
			c.errorf(diag.Schedule, e.name.span(), "%s is given twice", name).note(first.span(), "the first %s is here", name)
			continue
		}
		seen[name] = e.name
		switch name {
		case "tile":
			s.Tile = c.sizes(e)
		case "grid":
			s.Grid = c.sizes(e)
		case "cpus":
			if s.CPUs, s.Mesh = 0, c.sizes(e); len(s.Mesh) == 1 {
				s.CPUs, s.Mesh = s.Mesh[0], nil
			}
		case "sub":
			if v := c.sizes(e); len(v) == 1 {
				s.Sub = v[0]
			} else if v != nil {
				c.errorf(diag.Schedule, value.span(), "sub takes one number, not %d", len(v))
			}
		case "map":
			if !c.mayBeLoop(value.text) {
				c.suggest(c.errorf(diag.Schedule, value.span(), "%s is no loop", value.text), value.text, value.span(), false, c.loopNames)
			}
			s.Map = value.text
		case "group":
			s.Group = c.word(e)
		case "assign":
			s.Assign = c.word(e)
		case "comm":
			s.Comm = c.word(e)
		case "shape":
			s.Shape = c.word(e)
		default:
			var known []string
			for _, n := range scheduleNames {
				known = append(known, n.name)
			}
			r := c.errorf(diag.Schedule, e.name.span(), "a schedule has no %s; it has %s", name, strings.Join(known, ", "))
			if near := diag.Nearest(name, known); near != "" {
				r.hint("%s %s", near, value.text)
			}
		}
	}
	if loops := len(c.nest.Loops); loops > 0 {
		for _, list := range []struct {
			name string
			v    *[]int
		}{{"tile", &s.Tile}, {"grid", &s.Grid}, {"cpus", &s.Mesh}} {
			c.perLoop(s, list.name, list.v, seen[list.name].span())
		}
	}
	c.nest.Schedule = s
}

// sizesLike are sizes with an x between them.
var sizesLike = regexp.MustCompile(`^[0-9]+(x[0-9]+)*$`)

// perLoop requires that a list in a schedule has a number for every loop, or for every loop but
// the mapping loop, along which ranks and CPUs are 1.
func (c *checker) perLoop(s *ir.Schedule, name string, list *[]int, at diag.Span) {
	loops := len(c.nest.Loops)
	mapped := slices.IndexFunc(c.nest.Loops, func(l ir.Loop) bool { return l.Name == s.Map })
	switch {
	case len(*list) == 0 || len(*list) == loops:
	case name != "tile" && mapped >= 0 && len(*list) == loops-1:
		*list = slices.Insert(*list, mapped, 1)
	default:
		var sizes []string
		for k := range loops {
			sizes = append(sizes, "32")
			if k < len(*list) {
				sizes[k] = strconv.Itoa((*list)[k])
			}
		}
		c.errorf(diag.Schedule, at, "%s has %s, and the nest has %s", name, plural(len(*list), "number"), plural(loops, "loop")).
			pattern("%s %s", name, strings.Join(sizes, "x"))
	}
}

// sizes reads 32x-x256: numbers separated by x, 0 or - for an open one. It returns nil after a
// mistake.
func (c *checker) sizes(e entry) []int {
	var v []int
	for part := range strings.SplitSeq(e.value.text, "x") {
		x, err := 0, error(nil)
		if part != "-" {
			x, err = strconv.Atoi(part)
		}
		if err != nil || x < 0 || x > maxCoefficient {
			r := c.errorf(diag.Schedule, e.value.span(), "%s is no size", e.value.text)
			tokens, _ := scan([]byte(e.value.text))
			if text := sizesText(tokens[:len(tokens)-1]); sizesLike.MatchString(text) && text != e.value.text {
				r.fix(e.value.span(), "%s", text)
			} else {
				r.pattern("%s", exampleOf(e.name.text))
			}
			return nil
		}
		v = append(v, x)
	}
	return v
}

// word reads an entry whose value is one of a few words.
func (c *checker) word(e entry) string {
	words := ir.ScheduleWords(e.name.text)
	if slices.Contains(words, e.value.text) {
		return e.value.text
	}
	r := c.errorf(diag.Schedule, e.value.span(), "%s is %s, not %s", e.name.text, strings.Join(words, " or "), e.value.text)
	r.hint("%s %s", e.name.text, words[0])
	if near := diag.Nearest(e.value.text, words); near != "" {
		r.hint("%s %s", e.name.text, near)
	}
	return ""
}

// oneSchedule reports a second schedule block.
func (c *checker) oneSchedule(f *fileSyntax, st *statement) {
	if f.schedule != nil {
		c.errorf(diag.Redeclared, st.first().span(), "the file has two schedules").
			note(f.schedule.first().span(), "the first is here")
		return
	}
	f.schedule = st
}
