// The loops of durbin.loop.
#include "peer.h"

static void loops(long N, double *restrict r, double *restrict y, double *restrict z) {
	double alpha = -r[0], beta = 1, sum;
	y[0] = -r[0];
	for (long k = 1; k < N; k++) {
		beta = (1 - alpha * alpha) * beta;
		sum = 0;
		for (long i = 0; i < k; i++)
			sum += r[k - i - 1] * y[i];
		alpha = -(r[k] + sum) / beta;
		for (long i = 0; i < k; i++)
			z[i] = y[i] + alpha * y[k - i - 1];
		for (long i = 0; i < k; i++)
			y[i] = z[i];
		y[k] = alpha;
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double *r = given_float64(0, N);
	double *y = zeroed(N, sizeof(double));
	double *z = zeroed(N, sizeof(double));
	for (long i = 0; i < N; i++)
		r[i] /= (double)(2 * N); // the matrix is positive definite
	supplied("r", r, 0, N, "f8", sizeof(double));
	MEASURE(0, loops(N, r, y, z));
	result(y, N, sizeof(double));
	return finish();
}
