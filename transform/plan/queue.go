package plan

// A queue gives back what is in it in ascending order: a binary heap. What is
// taken out of it first need not wait until all is sorted.
type queue[T any] struct {
	all  []T // no element is above those at 2i+1 and 2i+2
	less func(a, b *T) bool
}

// newQueue returns a queue of all, which it uses up.
func newQueue[T any](all []T, less func(a, b *T) bool) *queue[T] {
	q := &queue[T]{all, less}
	for i := len(all)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
	return q
}

// len is the number of elements.
func (q *queue[T]) len() int { return len(q.all) }

// first is the least element.
func (q *queue[T]) first() *T { return &q.all[0] }

// add puts one more element in.
func (q *queue[T]) add(x T) {
	q.all = append(q.all, x)
	for i := len(q.all) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.less(&q.all[i], &q.all[up]) {
			return
		}
		q.all[i], q.all[up] = q.all[up], q.all[i]
		i = up
	}
}

// dropFirst removes the first element.
func (q *queue[T]) dropFirst() {
	last := len(q.all) - 1
	q.all[0] = q.all[last]
	q.all = q.all[:last]
	q.sink(0)
}

// sink moves the element at i down to where it belongs.
func (q *queue[T]) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.all); child++ {
			if q.less(&q.all[child], &q.all[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.all[i], q.all[least] = q.all[least], q.all[i]
		i = least
	}
}
