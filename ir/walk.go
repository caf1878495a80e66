package ir

// Operands are the expressions that an operation is applied to, from left to right; none of a
// leaf.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Lookup:
		return e.Subs
	case *ConstCell:
		return e.Subs
	case *Convert:
		return []Expr{e.X}
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Call:
		return e.Args
	case *ExternCall:
		return e.Args
	case *Select:
		return []Expr{e.Cond, e.A, e.B}
	}
	return nil
}

// Walk calls f for e and every expression below it, parents first, operands
// from left to right.
func Walk(e Expr, f func(Expr)) {
	f(e)
	for _, x := range Operands(e) {
		Walk(x, f)
	}
}

// WalkLets calls f for e and every expression below it, and for those of the lets of a body that these name. The value of a let
// is walked once, however often it is named.
func WalkLets(body []Stmt, e Expr, f func(Expr)) {
	seen := map[int]bool{}
	var walk func(e Expr)
	walk = func(e Expr) {
		Walk(e, func(e Expr) {
			f(e)
			if l, ok := e.(*LocalRef); ok && !seen[l.Stmt] {
				seen[l.Stmt] = true
				walk(Value(body[l.Stmt]))
			}
		})
	}
	walk(e)
}

// WalkAlways calls f for e and every expression below it that is evaluated whenever e is.
func WalkAlways(e Expr, f func(Expr)) {
	f(e)
	operands := Operands(e)
	switch e := e.(type) {
	case *Select:
		operands = []Expr{e.Cond}
	case *Binary:
		if e.Op == And || e.Op == Or {
			operands = []Expr{e.X}
		}
	}
	for _, x := range operands {
		WalkAlways(x, f)
	}
}

// MapReads returns e with f(r) in place of every read r, from left to right.
func MapReads(e Expr, f func(*Read) Expr) Expr {
	if r, ok := e.(*Read); ok {
		return f(r)
	}
	return Map(e, func(x Expr) Expr { return MapReads(x, f) })
}

// Map returns a copy of e with f applied to each operand. A leaf is returned unchanged.
func Map(e Expr, f func(Expr) Expr) Expr {
	switch e := e.(type) {
	case *Lookup:
		x := *e
		x.Subs = mapAll(e.Subs, f)
		return &x
	case *ConstCell:
		x := *e
		x.Subs = mapAll(e.Subs, f)
		return &x
	case *Convert:
		x := *e
		x.X = f(e.X)
		return &x
	case *Unary:
		x := *e
		x.X = f(e.X)
		return &x
	case *Binary:
		x := *e
		x.X, x.Y = f(e.X), f(e.Y)
		return &x
	case *Call:
		x := *e
		x.Args = mapAll(e.Args, f)
		return &x
	case *ExternCall:
		x := *e
		x.Args = mapAll(e.Args, f)
		return &x
	case *Select:
		x := *e
		x.Cond, x.A, x.B = f(e.Cond), f(e.A), f(e.B)
		return &x
	}
	return e
}

// LooksUp reports whether e looks a cell of array a up.
func LooksUp(e Expr, a int) (found bool) {
	Walk(e, func(x Expr) {
		l, ok := x.(*Lookup)
		found = found || ok && l.Array == a
	})
	return found
}

func mapAll(args []Expr, f func(Expr) Expr) (out []Expr) {
	for _, a := range args {
		out = append(out, f(a))
	}
	return out
}
