package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// resolveInit resolves one init statement and attaches it to its array.
func (c *checker) resolveInit(s *initSyntax) {
	v := &view{
		what: "an init expression", params: true, cells: true, init: true,
		own: map[string]*entity{}, indices: s.Indices,
	}
	var names []string
	whole := true
	for k, n := range s.Indices {
		names = append(names, n.Name)
		whole = c.declareIndex(v, n, k) && whole
	}
	e := c.treeOf(s.Value)
	at := s.Name.span()
	a := c.array(&view{}, s.Name.Name, at, len(s.Indices), at)
	var x ir.Expr
	if e != nil {
		if a >= 0 {
			v = v.wanting(c.nest.Arrays[a].Elem)
		}
		x = c.number(v, e)
	}
	if a < 0 {
		return
	}
	decl, arr := &c.arrays[a], &c.nest.Arrays[a]
	switch {
	case arr.Role == ir.In || arr.Role == ir.InOut:
		r := c.errorf(diag.ArrayRole, at, "%s is %s, given by the caller: it takes no init", arr.Name, roleText(arr.Role)).
			note(arr.Span, "%s is declared here", arr.Name)
		if arr.Role == ir.InOut || c.assignedTo(arr.Name) && c.noResult() {
			r.advise("declare %s as out, to begin with this and be given back, or leave the init out", arr.Name)
		} else {
			r.advise("declare %s without in, to begin with this, or leave the init out", arr.Name)
		}
		return
	case decl.init != nil:
		c.errorf(diag.Redeclared, at, "%s has two inits", arr.Name).
			note(decl.init.span(), "the first init of %s is here", arr.Name)
		return
	}
	decl.init = s.Name
	if x = c.received(x, &receiver{name: arr.Name, at: arr.Span, value: e, t: arr.Elem}); x != nil && whole {
		arr.Init = &ir.Init{Names: names, Expr: x, Span: at}
	}
}

// declareIndex declares the k-th index name of an init. The name must differ from those of integer
// parameters, constants, arrays and other indices; it hides others, such as a loop's or a let's.
func (c *checker) declareIndex(v *view, n *nameSyntax, k int) bool {
	if !c.nameable(n) {
		return false
	}
	old := v.own[n.Name]
	if old == nil {
		if ent := c.names[n.Name]; ent != nil && ent.kind < loopEntity {
			old = ent
		}
	}
	if old != nil {
		r := c.errorf(diag.Redeclared, n.span(), "index %s has the name of %s", n.Name, old.kind).
			note(old.at, "%s is declared here", n.Name)
		if old.kind == paramEntity || old.kind == constEntity {
			r.advise("another name for the index; an init gives every cell its value: what is meant for %s alone is chosen, as by select(x == %[1]s, ..., 0)", n.Name)
			return false
		}
		r.advise("another name for one of the two: the indices of init A[i, j] = ... have names that nothing else has")
		return false
	}
	v.own[n.Name] = &entity{kind: indexEntity, index: k, at: n.span()}
	return true
}

// resolveSlice resolves one out statement and attaches it to its array.
func (c *checker) resolveSlice(s *outSyntax) {
	at := s.Name.span()
	a := c.array(&view{}, s.Name.Name, at, len(s.Dims), at)
	if a < 0 {
		return
	}
	decl, arr := &c.arrays[a], &c.nest.Arrays[a]
	switch {
	case arr.Role != ir.Internal && decl.slice == nil:
		r := c.errorf(diag.ArrayRole, at, "%s is %s: a slice is given back of internal arrays only", arr.Name, roleText(arr.Role)).
			note(arr.Span, "%s is declared here", arr.Name)
		if arr.Role == ir.In {
			r.advise("leave this out: an in array is as the caller gave it")
		} else {
			r.advise("leave this out, as %s is given back whole, or leave out the role of %s", arr.Name, arr.Name)
		}
		return
	case decl.slice != nil:
		c.errorf(diag.Redeclared, at, "%s has two out slices", arr.Name).
			note(decl.slice.span(), "the first slice of %s is here", arr.Name)
		return
	}
	decl.slice = s.Name
	v := &view{what: "an out slice", params: true}
	out := make([]*ir.Affine, len(s.Dims))
	for k, d := range s.Dims {
		if d.All {
			continue
		}
		if e := flatTree(d.Index); e.kind == nameExpr && c.names[e.name] != nil && c.names[e.name].kind == loopEntity {
			c.errorf(diag.NameMisuse, e.at, "%s cannot be used in an out slice: it is a loop variable, and * stands for all of the dimension", e.name).fix(e.at, "*")
			continue
		}
		told := len(c.diags)
		if f, ok := c.affineOf(v, d.Index); ok {
			out[k] = &f
		} else if e := flatTree(d.Index); told < len(c.diags) {
			c.sliceOfItems(report{&c.diags[told]}, s, e.name)
		}
	}
	arr.Out, arr.OutSpan = out, at
	if !slices.ContainsFunc(out, func(f *ir.Affine) bool { return f != nil }) {
		arr.Role, arr.Out = ir.Out, nil // all of it
	}
}

// resolveBody resolves and types every statement of the body.
func (c *checker) resolveBody() {
	c.types.lets = make([]ir.Type, len(c.body))
	c.types.floats = make([]bool, len(c.body))
	c.types.ranges = make([]*valueRange, len(c.body))
	c.noteLets()
	v := c.bodyView()
	for k := range c.body {
		b := &c.body[k]
		switch {
		case b.let != nil:
			c.resolveLet(v, k, b)
		case b.reduce != nil:
			c.resolveReduce(v, b)
		default:
			c.resolveAssign(v, b)
		}
	}
	uses := c.letTypes()
	c.adviseRefused()
	for k := range c.body {
		if c.body[k].let != nil {
			c.wrapsInLet(k, uses[k])
		}
	}
	for k := range c.body {
		b := &c.body[k]
		if b.reduce == nil {
			b.expr = c.received(b.expr, c.receiverOf(k))
		} else if b.expr = c.typed(b.expr, c.typeOfStatement(k)); b.expr != nil {
			c.narrowSum(b)
		}
	}
}

// noteLets records where each let is declared, for messages about uses before that place, and the names that lets of blocks have
// in the file.
func (c *checker) noteLets() {
	c.later, c.inBlocks = map[string]*nameSyntax{}, map[string]*letSyntax{}
	for _, b := range c.body {
		if b.let == nil {
			continue
		}
		if c.later[b.let.Name.Name] == nil {
			c.later[b.let.Name.Name] = b.let.Name
		}
		if name := c.nameInFile(b.let.Name); name != b.let.Name.Name && c.inBlocks[name] == nil {
			c.inBlocks[name] = b.let
		}
	}
}

func (c *checker) resolveLet(v *view, k int, b *bodyStatement) {
	l := b.let
	if l.Type != nil {
		if c.types.lets[k] = ir.TypeNamed(l.Type.Name); c.types.lets[k] == ir.Invalid {
			b.spoiled = true
			c.unknownType(l.Type)
			if l.Type.Name == "float" && c.onlyOf(ir.Float64, flatTree(l.Value)) {
				report{&c.diags[len(c.diags)-1]}.fix(l.Type.span(), "%s", ir.Float64)
			}
		}
	}
	if e := c.treeOf(l.Value); e != nil {
		b.expr = c.number(v.wanting(c.types.lets[k]), e)
	}
	told := len(c.diags)
	// A second let of the same name: the user meant to change the first.
	if e := flatTree(l.Value); c.names[l.Name.Name] != nil && c.names[l.Name.Name].kind == letEntity && !holed(e) {
		defer func() {
			if told < len(c.diags) && c.diags[told].Code == diag.Redeclared && !c.copied(k, told, e) {
				report{&c.diags[told]}.advise("%s", c.meantToCollect(k, e))
			}
		}()
	}
	// The name is known from here on, and not in its own value.
	if c.declare(l.Name, letEntity, k) {
		delete(c.later, l.Name.Name)
	} else {
		b.spoiled = true
		c.doubledNumbers = append(c.doubledNumbers, l.Name)
	}
}

func (c *checker) resolveAssign(v *view, b *bodyStatement) {
	b.array = -1
	c.assigned = b
	defer func() { c.assigned = nil }()
	cell := b.assign.Cell
	at, name := cellSpan(cell), cell.Name
	if len(cell.Subs) == 0 && c.wholeArray(v, b.assign) {
		if e := c.treeOf(b.assign.whole()); e != nil {
			c.number(v, e)
		}
		return
	}
	if len(cell.Subs) == 0 && !c.spoiled[name.Name] && c.accumulates(name, b.assign.whole()) {
		b.array = -1
		return
	}
	subs, readable := make([]*expr, len(cell.Subs)), true
	for k, s := range cell.Subs {
		subs[k] = c.treeOf(s)
		readable = readable && subs[k] != nil
	}
	if told := len(c.diags); readable {
		b.array = c.target(v, name, subs, at)
		c.sumAlong(told, b.assign, subs)
	}
	if b.array >= 0 {
		if forms, ok := c.subscripts(v, b.array, subs); ok {
			b.subs = forms
		}
	}
	if e := c.treeOf(b.assign.whole()); e != nil {
		if b.array >= 0 {
			v = v.wanting(c.nest.Arrays[b.array].Elem)
		}
		b.expr = c.number(v, e)
	}
}

// resolveReduce resolves a reduction: max, min or sum of one expression, which may use the same
// names as the body.
func (c *checker) resolveReduce(v *view, b *bodyStatement) {
	e := c.treeOf(b.reduce.Value)
	if e == nil {
		return
	}
	name := b.reduce.Name.Name
	if b.reduce.place {
		c.resolvePlace(b, e)
		return
	}
	op, known := ir.ReduceNamed(e.name)
	switch {
	case e.kind != callExpr || !known:
		c.noReduction(name, e)
	case len(e.args) != 1:
		r := c.errorf(diag.Reduction, e.at, "%s of a reduction takes one expression, whose values in all iterations count, not %d", e.name, len(e.args))
		itself := slices.IndexFunc(e.args, func(x *expr) bool { return x.kind == nameExpr && x.name == name })
		switch {
		case len(e.args) == 2 && itself >= 0:
			r.hint("reduce %s = %s(%s)", name, e.name, c.text(e.args[1-itself].at))
		case len(e.args) > 1 && op != ir.ReduceSum:
			r.hint("reduce %s = %s(%s)", name, e.name, c.text(e.at))
		}
	default:
		b.op = op
		if x := e.args[0]; x.kind == nameExpr && c.names[x.name] != nil && c.names[x.name].kind == arrayEntity {
			c.unsubscripted(v, c.names[x.name], x, nil) // all cells of the array are meant
			return
		}
		b.expr = c.number(v, e.args[0])
	}
}

// target returns the array that an assignment writes, -1 if the nest has none that it may
// write.
func (c *checker) target(v *view, name *nameSyntax, subs []*expr, at diag.Span) int {
	if ent := c.names[name.Name]; ent != nil && ent.kind != arrayEntity {
		c.notAssigned(ent, name, len(subs) == 0)
		return -1
	}
	if c.names[name.Name] == nil && len(subs) == 0 && !c.spoiled[name.Name] {
		c.spoiled[name.Name] = true
		if holed(flatTree(c.assigned.assign.Value)) {
			return -1 // its value has been reported
		}
		if c.others.reduces[name.Name] {
			c.errorf(diag.NameMisuse, name.span(), "%s cannot be assigned to: it is %s of another nest, which collects the values of all iterations by itself", name.Name, reduceEntity).
				advise("another name for what changes here")
			return -1
		}
		r := c.errorf(diag.UnknownName, name.span(), "unknown name %s", name.Name)
		switch value := flatTree(c.assigned.assign.Value); {
		case c.readBefore(name.Name) || named([]*expr{value}, name.Name):
			r.d.Message += ": " + scalarRoles
		case c.assignments(name.Name) > 1 || comparePlaces(value.at.Pos, name.span().Pos) < 0: // an if around has become the select in value
			r.d.Message += ": " + changedVar + ", which is declared with its type and its first value"
		default:
			r.fix(name.span(), "let %s", name.Name)
		}
		return -1
	}
	told := len(c.diags)
	a := c.array(v, name.Name, name.span(), len(subs), at)
	c.flattened(told, name.Name, subs)
	if a >= 0 && c.nest.Arrays[a].Role == ir.In {
		c.refuse(a, len(subs), at)
		return -1
	}
	return a
}

// notAssigned reports the assignment to a name that is not an array. alone says that it has no subscripts.
func (c *checker) notAssigned(ent *entity, name *nameSyntax, alone bool) {
	r := c.errorf(diag.NameMisuse, name.span(), "%s cannot be assigned to: it is %s", name.Name, ent.kind).
		note(ent.at, "%s is declared here", name.Name)
	if ent.kind == reduceEntity && c.assigned != nil && alone {
		if value := flatTree(c.assigned.assign.Value); named([]*expr{value}, name.Name) || c.assigned.assign.Sign.Op != "=" {
			c.gathered = name.Name
			r.d.Message += ", which collects the values of all iterations by itself"
			r.d.At = join(r.d.At, value.at)
			r.advise(leaveOut)
		}
	} else if ent.kind == letEntity && c.assigned != nil && alone {
		r.advise("%s", c.changes(name.Name, bare(flatTree(c.assigned.assign.Value))))
	} else if (ent.kind == constEntity || ent.kind == paramEntity || ent.kind == floatEntity) && len(c.nest.Loops) > 0 {
		r.d.Message += ": what changes within an iteration is a var, and from one to the next a cell of an array"
	}
}

// finish puts the body into the nest, unless there was an error, and numbers the reads.
func (c *checker) finish() {
	c.manyEarlier()
	if diag.HasErrors(c.diags) {
		return
	}
	n := c.nest
	for _, b := range c.body {
		stmt := len(n.Body)
		b.expr = c.launched(b.expr)
		if settled := ir.Settle(b.expr); !b.keeps(settled) {
			b.expr = settled
		}
		switch {
		case b.let != nil:
			n.Body = append(n.Body, &ir.Let{
				Name: b.let.Name.Name, Type: c.types.lets[stmt], Expr: b.expr, Span: b.let.Name.span(),
			})
		case b.reduce != nil:
			n.Body = append(n.Body, &ir.Reduce{
				Name: b.reduce.Name.Name, Op: b.op, Place: b.reduce.place, Type: b.expr.Type(), Expr: b.expr, Span: b.reduce.Name.span(),
			})
		default:
			n.Body = append(n.Body, &ir.Assign{
				Array: b.array, Subs: b.subs, Expr: b.expr, Span: cellSpan(b.assign.Cell), Line: b.line,
			})
		}
	}
	c.letsOfCells()
	for stmt, s := range n.Body {
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			if r, ok := e.(*ir.Read); ok {
				r.ID = len(n.Reads)
				n.Reads = append(n.Reads, r)
				n.ReadStmt = append(n.ReadStmt, stmt)
			}
		})
	}
	if err := n.Verify(); err != nil {
		panic("BUG: frontend: " + err.Error())
	}
}

// keeps reports whether e is the cell that b assigns to. Such an expression is not settled: the nest would lose its condition, and
// only a select with a condition may leave a cell as it is.
func (b *bodyStatement) keeps(e ir.Expr) bool {
	r, ok := e.(*ir.Read)
	return ok && b.assign != nil && r.Array == b.array && slices.EqualFunc(r.Subs, b.subs, ir.Affine.Equal)
}
