// The loops of fdtd-2d.loop.
#include "peer.h"

static void loops(long TMAX, long NX, long NY, double (*restrict ex)[NY], double (*restrict ey)[NY], double (*restrict hz)[NY], double *restrict fict) {
	for (long t = 0; t < TMAX; t++) {
		for (long j = 0; j < NY; j++)
			ey[0][j] = fict[t];
		for (long i = 1; i < NX; i++)
			for (long j = 0; j < NY; j++)
				ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
		for (long i = 0; i < NX; i++)
			for (long j = 1; j < NY; j++)
				ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
		for (long i = 0; i < NX - 1; i++)
			for (long j = 0; j < NY - 1; j++)
				hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long TMAX = number("TMAX", 20), NX = number("NX", 20), NY = number("NY", 30);
	double (*ex)[NY] = (void *)given_float64(0, NX * NY);
	double (*ey)[NY] = (void *)given_float64(1, NX * NY);
	double (*hz)[NY] = (void *)given_float64(2, NX * NY);
	double *fict = given_float64(3, TMAX);
	MEASURE(0, loops(TMAX, NX, NY, ex, ey, hz, fict));
	result(ex, NX * NY, sizeof(double));
	result(ey, NX * NY, sizeof(double));
	result(hz, NX * NY, sizeof(double));
	return finish();
}
