// The loops of deriche.loop.
#include "peer.h"

static void loops(long W, long H, double *restrict a, double *restrict c, double *restrict b, double (*restrict imgIn)[H], double (*restrict imgOut)[H], double (*restrict y1)[H], double (*restrict y2)[H]) {
	double a1 = a[0], a2 = a[1], a3 = a[2], a4 = a[3], a5 = a[4], a6 = a[5], a7 = a[6], a8 = a[7];
	double b1 = b[0], b2 = b[1], c1 = c[0], c2 = c[1];
	for (long i = 0; i < W; i++) {
		double ym1 = 0, ym2 = 0, xm1 = 0;
		for (long j = 0; j < H; j++) {
			y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
			xm1 = imgIn[i][j];
			ym2 = ym1;
			ym1 = y1[i][j];
		}
	}
	for (long i = 0; i < W; i++) {
		double yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
		for (long j = H - 1; j >= 0; j--) {
			y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
			xp2 = xp1;
			xp1 = imgIn[i][j];
			yp2 = yp1;
			yp1 = y2[i][j];
		}
	}
	for (long i = 0; i < W; i++)
		for (long j = 0; j < H; j++)
			imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
	for (long j = 0; j < H; j++) {
		double tm1 = 0, ym1 = 0, ym2 = 0;
		for (long i = 0; i < W; i++) {
			y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
			tm1 = imgOut[i][j];
			ym2 = ym1;
			ym1 = y1[i][j];
		}
	}
	for (long j = 0; j < H; j++) {
		double tp1 = 0, tp2 = 0, yp1 = 0, yp2 = 0;
		for (long i = W - 1; i >= 0; i--) {
			y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
			tp2 = tp1;
			tp1 = imgOut[i][j];
			yp2 = yp1;
			yp1 = y2[i][j];
		}
	}
	for (long i = 0; i < W; i++)
		for (long j = 0; j < H; j++)
			imgOut[i][j] = c2 * (y1[i][j] + y2[i][j]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long W = number("W", 64), H = number("H", 64);
	double *a = given_float64(0, 8);
	double *c = given_float64(1, 2);
	double *b = given_float64(2, 2);
	double (*imgIn)[H] = (void *)given_float64(3, W * H);
	double (*imgOut)[H] = zeroed(W * H, sizeof(double));
	double (*y1)[H] = zeroed(W * H, sizeof(double));
	double (*y2)[H] = zeroed(W * H, sizeof(double));
	for (long k = 0; k < 2; k++)
		b[k] *= 0.5; // the filters forget
	supplied("b", b, 0, 2, "f8", sizeof(double));
	MEASURE(0, loops(W, H, a, c, b, imgIn, imgOut, y1, y2));
	result(imgOut, W * H, sizeof(double));
	return finish();
}
