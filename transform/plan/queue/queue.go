// Package queue has a priority queue for searches and simulations, which need the first
// elements before all are sorted. It is a binary heap on a slice, as in any textbook, without
// the interfaces of container/heap, which allocate for each element.
package queue

// A Queue returns its elements in ascending order. It is a binary heap.
type Queue[T any] struct {
	All  []T // no element is above those at 2i+1 and 2i+2
	Less func(a, b *T) bool
}

// First is the least element.
func (q *Queue[T]) First() *T { return &q.All[0] }

// Add adds an element.
func (q *Queue[T]) Add(x T) {
	q.All = append(q.All, x)
	for i := len(q.All) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.Less(&q.All[i], &q.All[up]) {
			return
		}
		q.All[i], q.All[up] = q.All[up], q.All[i]
		i = up
	}
}

// DropFirst removes the first element.
func (q *Queue[T]) DropFirst() {
	last := len(q.All) - 1
	q.All[0] = q.All[last]
	q.All = q.All[:last]
	q.sink(0)
}

// sink moves the element at i down to its place.
func (q *Queue[T]) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.All); child++ {
			if q.Less(&q.All[child], &q.All[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.All[i], q.All[least] = q.All[least], q.All[i]
		i = least
	}
}
