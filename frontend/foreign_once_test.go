package frontend

import (
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestForeignOnce puts one construct of another language at a time into a correct file. It must
// give exactly one error, which names the construct and not just the place where the grammar
// stopped.
func TestForeignOnce(t *testing.T) {
	const head = "param N = 9\narray u[0..N, 0..N] float64 inout\narray k[0..N] int32 in\n"
	const loop = "for i = 1..N, j = 1..N {\n"
	const body = "\tu[i,j] = u[i-1,j] + k[i]\n"
	check := func(src string) {
		_, diags := CompileProgram("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].Code == diag.Syntax || strings.Contains(diags[0].Message+diags[0].Hint, hole) {
			t.Errorf("want one mistake:\n%s\n%s", src, rendered("x.loop", src, diags))
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(inBodies), "\n") {
		check(head + loop + body + "\t" + strings.ReplaceAll(line, "⏎", "\n\t") + "\n" + body + "}\n")
	}
	for _, line := range strings.Split(strings.TrimSpace(beforeNests), "\n") {
		check(head + strings.ReplaceAll(line, "⏎", "\n") + "\n" + loop + body + "}\n")
	}
}

// inBodies are constructs that stand in the body of a nest, ⏎ being a new line.
const inBodies = `
u[i,:] = u[i-1,:]
u[1:-1, 1:-1] = 0
u[i,j] = u[i,0..N]
u[i,j] = u[mod(i-1,N),j]
u[i,j] = sum(u[i,0:j]*u[0:j,j])
u[i,j] = max(u[i,:])
u[i,j] = np.max(u)
u[i,j] = u.max()
u[i,j] = maxval(u, 0)
u[i,j] = minval(u)
u[i,j] = sum(u[:, j])
u[i,j] = sum(u[i,m] for m in range(3))
u[i,j] = np.pi
u[i,j] = u.shape[0]
u[i,j] = np.sqrt(u[i,j])
u[i,j] = np.zeros(3)
u[i,j] = np.random.rand(3, 3)
u[i,j] = a.b.c
u[i,j] = p->next
u[i,j] = None
u[i,j] = range(3)
u[i,j] = [1, 2, 3][i]
u[i,j] = "abc"
h = lambda x: x*x
u[i,j] = real(i, 8)
u[i,j] = real(i, kind=8)
u[i,j] = dble(i)
u[i,j] = float(i)
u[i,j] = int(u[i-1,j])
u[i,j] = (float) i
u[i,j] = 1.0f
u[i,j] = u[i,j]++
u[i,j] = u[let m = i - 1,j]
u[i,j] += u[i-1,j] += 2
u[i,j] = u[i-1,j] = 2
u[i,j] <<= 1
u[i,j] %= 2
u[i,j] = i > 3 ? 1 : 2
u[i,j] = 1 if i > 3 else 2
i++
i += 1
int m;
double w[10];
printf("%d\n", i)
print *, 'step', u(i,j)
std::cout << u[i][j] << std::endl;
console.log(u[i,j])
assert i > 0
assert(u[i,j] > 0)
pass
continue
break;
cycle
if (i == 3) continue
if (i == 3) exit
if i == 3: continue
call f(u, i)
exchange(u, i)
where (u > 0) u = 0
allocate(v(N))
then
return
goto 10
for i = 1..N {⏎}
for (int j = 1; j < N; j++) {⏎}
do j = 1, N⏎end do
for j in range(1, N):
j = 1..N
`

// beforeNests are constructs that stand outside of nests.
const beforeNests = `
parameter (H=100, W=120)
integer, parameter :: H=100, W=120
real, dimension(0:N) :: v
dimension v(0:100)
implicit none
c a comment
C another one
!$omp parallel do
#include <stdio.h>
#pragma omp parallel for
#define SQ(x) ((x)*(x))
#define H 100
import numpy as np
from math import sqrt
v = np.zeros((N, N))
v = np.zeros(N, dtype=int)
v = [0]*N
h = np.linspace(0, 1, N)
H, W = 100, 120
H: int = 100
e[:, :] = 0
e[0, :] = 1
u[:, :] = 0
array v[0..N] float64 in = 0
array v[0..N] float64 = 0
double f(double x) { return x*x; }
double f(double x);
def f(x):⏎    return x*x
extern double F(double x);
extern func F(double x) = "example.com/phys".F
static const double w = 0.5;
double v[10];
float *v;
"""A text⏎of two lines."""
use iso_fortran_env
use std::cmp::max;
data omega /1.7d0/
data W /-3/
common /fields/ u
param dt = 0.1, dx = 1.0
param dt = 0.1, W = 5
param W: int = 4, tol: float = 1e-6
array v[1..M] float64 in⏎param M = len(v)
array v[0..N, 0..N] float64 inout⏎u, v = v, u
float param w = 0.5
double const W = 3.0
double array v[0..N] in
array float v[N][N]
const (⏎	A = 100⏎	B = 50⏎)
`
