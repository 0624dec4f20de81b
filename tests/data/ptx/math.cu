// The functions of the CUDA library as they compile: y[k][i] = f_k(x[i]).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void math_f32(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i], p = fabsf(v) + 1e-3f;
  int k = 0;
  const auto out = [&](float r) { y[n * k++ + i] = r; };
  out(expf(v));
  out(__expf(v));
  out(logf(p));
  out(rsqrtf(p));
  out(erff(v));
  out(tanhf(v));
  out(powf(p, 1.3f));
  out(sinf(v));
  out(cosf(v));
  out(log1pf(p));
  out(expm1f(v));
  out(exp2f(v));
  out(log2f(p));
  out(sqrtf(p));
  out(v / (v * v + 1));
  out(__fdividef(v, p));
  out(rintf(v));
  out(floorf(v));
  out(ceilf(v));
  out(truncf(v));
  out(fmodf(v, 0.7f));
  out(1 / (1 + expf(-v)));
  out(sinf(v * 1e6f));
  out(cbrtf(v));
}

extern "C" __global__ void math_f64(const double* x, double* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double v = x[i], p = fabs(v) + 1e-3;
  int k = 0;
  const auto out = [&](double r) { y[n * k++ + i] = r; };
  out(exp(v));
  out(log(p));
  out(rsqrt(p));
  out(erf(v));
  out(tanh(v));
  out(pow(p, 1.3));
  out(sin(v));
  out(cos(v));
  out(log1p(p));
  out(sqrt(p));
  out(v / (v * v + 1));
  out(sin(v * 1e9));
}

extern "C" __global__ void math_int(const long long* a, const long long* b, long long* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long u = a[i], v = b[i];
  int k = 0;
  const auto out = [&](long long r) { y[n * k++ + i] = r; };
  out(u / v);
  out(u % v);
  out((unsigned long long)u / (unsigned long long)v);
  out((unsigned long long)u % (unsigned long long)v);
  out((int)u / (int)v);
  out((int)u % (int)v);
  out((unsigned)u / (unsigned)v);
  out(u * v);
  out(__mul64hi(u, v));
  out(__popcll(u));
  out(__clzll(u));
  out(u >> (v & 63));
  out(u << (v & 63));
  out((long long)__brevll(u));
  out(__ffsll(u));
  out(u / 7);
  out((short)u / 3);
  out((long long)(float)u);
  out((long long)(double)u);
  out(max(u, v));
}

extern "C" __global__ void math_half(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  const __half h = __float2half(v);
  const __nv_bfloat16 b = __float2bfloat16(v);
  int k = 0;
  const auto out = [&](float r) { y[n * k++ + i] = r; };
  out(__half2float(h));
  out(__bfloat162float(b));
  out(__half2float(__hadd(h, h)));
  out(__half2float(__hfma(h, h, h)));
  out(__bfloat162float(__hmul(b, b)));
  out(__bfloat162float(__hfma(b, b, b)));
  out(__half2float(hexp(h)));
  out(__bfloat162float(hexp2(b)));
  out(__half2float(__hdiv(h, __float2half(3.0f))));
  out(__half2float(hsqrt(__habs(h))));
}
