// PTX of tests/data/ptx/softmax_bf16.cu with its three row loops not unrolled, as CUDA 13.0 compiles it for sm_90.
R"ptx(
.version 9.0
.target sm_90
.address_size 64
.visible .entry softmax(
  .param .u64 softmax_param_0,
  .param .u64 softmax_param_1,
  .param .u64 softmax_param_2,
  .param .u64 softmax_param_3
)
.maxntid 128, 1, 1
{
  .reg .pred %p<19>;
  .reg .b16 %rs<25>;
  .reg .f32 %f<280>;
  .reg .b32 %r<118>;
  .reg .b64 %rd<43>;
  .shared .align 4 .b8 _ZZ7softmaxE6maxima[16];
  .shared .align 4 .b8 _ZZ7softmaxE4sums[16];
  ld.param.u64 %rd13, [softmax_param_0];
  ld.param.u64 %rd14, [softmax_param_1];
  ld.param.u64 %rd15, [softmax_param_3];
  shr.s64 %rd16, %rd15, 63;
  shr.u64 %rd17, %rd16, 61;
  add.s64 %rd18, %rd15, %rd17;
  shr.u64 %rd19, %rd18, 3;
  cvt.u32.u64 %r1, %rd19;
  mov.u32 %r117, %tid.x;
  setp.ge.s32 %p1, %r117, %r1;
  mov.f32 %f277, 0fFF800000;
  @%p1 bra $L__BB0_3;
  mul.wide.s32 %rd20, %r117, 8;
  mov.u32 %r10, %ctaid.x;
  cvt.u64.u32 %rd21, %r10;
  mul.lo.s64 %rd22, %rd15, %rd21;
  add.s64 %rd23, %rd20, %rd22;
  cvta.to.global.u64 %rd24, %rd13;
  shl.b64 %rd25, %rd23, 1;
  add.s64 %rd39, %rd24, %rd25;
  mov.f32 %f277, 0fFF800000;
  mov.u32 %r115, %r117;
$L__BB0_2:
  .pragma "nounroll";
  ld.global.nc.v4.u32 {%r11, %r12, %r13, %r14}, [%rd39];
  mov.b32 {%rs1, %rs2}, %r11;
  { cvt.f32.bf16 %f13, %rs1;}
  { cvt.f32.bf16 %f14, %rs2;}
  max.f32 %f21, %f13, %f14;
  max.f32 %f22, %f277, %f21;
  mov.b32 {%rs3, %rs4}, %r12;
  { cvt.f32.bf16 %f15, %rs3;}
  { cvt.f32.bf16 %f16, %rs4;}
  max.f32 %f23, %f15, %f16;
  max.f32 %f24, %f22, %f23;
  mov.b32 {%rs5, %rs6}, %r13;
  { cvt.f32.bf16 %f17, %rs5;}
  { cvt.f32.bf16 %f18, %rs6;}
  max.f32 %f25, %f17, %f18;
  max.f32 %f26, %f24, %f25;
  mov.b32 {%rs7, %rs8}, %r14;
  { cvt.f32.bf16 %f19, %rs7;}
  { cvt.f32.bf16 %f20, %rs8;}
  max.f32 %f27, %f19, %f20;
  max.f32 %f277, %f26, %f27;
  add.s64 %rd39, %rd39, 2048;
  add.s32 %r115, %r115, 128;
  setp.lt.s32 %p2, %r115, %r1;
  @%p2 bra $L__BB0_2;
$L__BB0_3:
  mov.b32 %r19, %f277;
  mov.u32 %r20, 31;
  mov.u32 %r21, 16;
  mov.u32 %r22, -1;
  shfl.sync.bfly.b32 %r23|%p3, %r19, %r21, %r20, %r22;
  mov.b32 %f28, %r23;
  max.f32 %f29, %f277, %f28;
  mov.b32 %r24, %f29;
  mov.u32 %r25, 8;
  shfl.sync.bfly.b32 %r26|%p4, %r24, %r25, %r20, %r22;
  mov.b32 %f30, %r26;
  max.f32 %f31, %f29, %f30;
  mov.b32 %r27, %f31;
  mov.u32 %r28, 4;
  shfl.sync.bfly.b32 %r29|%p5, %r27, %r28, %r20, %r22;
  mov.b32 %f32, %r29;
  max.f32 %f33, %f31, %f32;
  mov.b32 %r30, %f33;
  mov.u32 %r31, 2;
  shfl.sync.bfly.b32 %r32|%p6, %r30, %r31, %r20, %r22;
  mov.b32 %f34, %r32;
  max.f32 %f35, %f33, %f34;
  mov.b32 %r33, %f35;
  mov.u32 %r34, 1;
  shfl.sync.bfly.b32 %r35|%p7, %r33, %r34, %r20, %r22;
  mov.b32 %f36, %r35;
  max.f32 %f4, %f35, %f36;
  and.b32 %r5, %r117, 31;
  setp.ne.s32 %p8, %r5, 0;
  @%p8 bra $L__BB0_5;
  shr.u32 %r36, %r117, 3;
  and.b32 %r37, %r36, 536870908;
  mov.u32 %r38, _ZZ7softmaxE6maxima;
  add.s32 %r39, %r38, %r37;
  st.shared.f32 [%r39], %f4;
$L__BB0_5:
  bar.sync 0;
  ld.shared.f32 %f38, [_ZZ7softmaxE6maxima+4];
  ld.shared.f32 %f39, [_ZZ7softmaxE6maxima];
  max.f32 %f40, %f39, %f38;
  ld.shared.f32 %f41, [_ZZ7softmaxE6maxima+12];
  ld.shared.f32 %f42, [_ZZ7softmaxE6maxima+8];
  max.f32 %f43, %f42, %f41;
  max.f32 %f5, %f40, %f43;
  mov.f32 %f279, 0f00000000;
  @%p1 bra $L__BB0_8;
  mul.wide.s32 %rd26, %r117, 8;
  mov.u32 %r40, %ctaid.x;
  cvt.u64.u32 %rd27, %r40;
  mul.lo.s64 %rd28, %rd15, %rd27;
  add.s64 %rd29, %rd26, %rd28;
  cvta.to.global.u64 %rd30, %rd13;
  shl.b64 %rd31, %rd29, 1;
  add.s64 %rd40, %rd30, %rd31;
  mov.f32 %f279, 0f00000000;
  mov.u32 %r116, %r117;
$L__BB0_7:
  .pragma "nounroll";
  ld.global.nc.v4.u32 {%r41, %r42, %r43, %r44}, [%rd40];
  mov.b32 {%rs9, %rs10}, %r41;
  { cvt.f32.bf16 %f45, %rs9;}
  { cvt.f32.bf16 %f46, %rs10;}
  sub.f32 %f53, %f45, %f5;
  mov.f32 %f54, 0f3F000000;
  mov.f32 %f55, 0f3BBB989D;
  fma.rn.f32 %f56, %f53, %f55, %f54;
  cvt.sat.f32.f32 %f57, %f56;
  mov.f32 %f58, 0f4B400001;
  mov.f32 %f59, 0f437C0000;
  fma.rm.f32 %f60, %f57, %f59, %f58;
  add.f32 %f61, %f60, 0fCB40007F;
  neg.f32 %f62, %f61;
  mov.f32 %f63, 0f3FB8AA3B;
  fma.rn.f32 %f64, %f53, %f63, %f62;
  mov.f32 %f65, 0f32A57060;
  fma.rn.f32 %f66, %f53, %f65, %f64;
  mov.b32 %r49, %f60;
  shl.b32 %r50, %r49, 23;
  mov.b32 %f67, %r50;
  ex2.approx.ftz.f32 %f68, %f66;
  sub.f32 %f69, %f46, %f5;
  fma.rn.f32 %f70, %f69, %f55, %f54;
  cvt.sat.f32.f32 %f71, %f70;
  fma.rm.f32 %f72, %f71, %f59, %f58;
  add.f32 %f73, %f72, 0fCB40007F;
  neg.f32 %f74, %f73;
  fma.rn.f32 %f75, %f69, %f63, %f74;
  fma.rn.f32 %f76, %f69, %f65, %f75;
  mov.b32 %r51, %f72;
  shl.b32 %r52, %r51, 23;
  mov.b32 %f77, %r52;
  ex2.approx.ftz.f32 %f78, %f76;
  mul.f32 %f79, %f78, %f77;
  fma.rn.f32 %f80, %f68, %f67, %f79;
  add.f32 %f81, %f279, %f80;
  mov.b32 {%rs11, %rs12}, %r42;
  { cvt.f32.bf16 %f47, %rs11;}
  { cvt.f32.bf16 %f48, %rs12;}
  sub.f32 %f82, %f47, %f5;
  fma.rn.f32 %f83, %f82, %f55, %f54;
  cvt.sat.f32.f32 %f84, %f83;
  fma.rm.f32 %f85, %f84, %f59, %f58;
  add.f32 %f86, %f85, 0fCB40007F;
  neg.f32 %f87, %f86;
  fma.rn.f32 %f88, %f82, %f63, %f87;
  fma.rn.f32 %f89, %f82, %f65, %f88;
  mov.b32 %r53, %f85;
  shl.b32 %r54, %r53, 23;
  mov.b32 %f90, %r54;
  ex2.approx.ftz.f32 %f91, %f89;
  sub.f32 %f92, %f48, %f5;
  fma.rn.f32 %f93, %f92, %f55, %f54;
  cvt.sat.f32.f32 %f94, %f93;
  fma.rm.f32 %f95, %f94, %f59, %f58;
  add.f32 %f96, %f95, 0fCB40007F;
  neg.f32 %f97, %f96;
  fma.rn.f32 %f98, %f92, %f63, %f97;
  fma.rn.f32 %f99, %f92, %f65, %f98;
  mov.b32 %r55, %f95;
  shl.b32 %r56, %r55, 23;
  mov.b32 %f100, %r56;
  ex2.approx.ftz.f32 %f101, %f99;
  mul.f32 %f102, %f101, %f100;
  fma.rn.f32 %f103, %f91, %f90, %f102;
  add.f32 %f104, %f81, %f103;
  mov.b32 {%rs13, %rs14}, %r43;
  { cvt.f32.bf16 %f49, %rs13;}
  { cvt.f32.bf16 %f50, %rs14;}
  sub.f32 %f105, %f49, %f5;
  fma.rn.f32 %f106, %f105, %f55, %f54;
  cvt.sat.f32.f32 %f107, %f106;
  fma.rm.f32 %f108, %f107, %f59, %f58;
  add.f32 %f109, %f108, 0fCB40007F;
  neg.f32 %f110, %f109;
  fma.rn.f32 %f111, %f105, %f63, %f110;
  fma.rn.f32 %f112, %f105, %f65, %f111;
  mov.b32 %r57, %f108;
  shl.b32 %r58, %r57, 23;
  mov.b32 %f113, %r58;
  ex2.approx.ftz.f32 %f114, %f112;
  sub.f32 %f115, %f50, %f5;
  fma.rn.f32 %f116, %f115, %f55, %f54;
  cvt.sat.f32.f32 %f117, %f116;
  fma.rm.f32 %f118, %f117, %f59, %f58;
  add.f32 %f119, %f118, 0fCB40007F;
  neg.f32 %f120, %f119;
  fma.rn.f32 %f121, %f115, %f63, %f120;
  fma.rn.f32 %f122, %f115, %f65, %f121;
  mov.b32 %r59, %f118;
  shl.b32 %r60, %r59, 23;
  mov.b32 %f123, %r60;
  ex2.approx.ftz.f32 %f124, %f122;
  mul.f32 %f125, %f124, %f123;
  fma.rn.f32 %f126, %f114, %f113, %f125;
  add.f32 %f127, %f104, %f126;
  mov.b32 {%rs15, %rs16}, %r44;
  { cvt.f32.bf16 %f51, %rs15;}
  { cvt.f32.bf16 %f52, %rs16;}
  sub.f32 %f128, %f51, %f5;
  fma.rn.f32 %f129, %f128, %f55, %f54;
  cvt.sat.f32.f32 %f130, %f129;
  fma.rm.f32 %f131, %f130, %f59, %f58;
  add.f32 %f132, %f131, 0fCB40007F;
  neg.f32 %f133, %f132;
  fma.rn.f32 %f134, %f128, %f63, %f133;
  fma.rn.f32 %f135, %f128, %f65, %f134;
  mov.b32 %r61, %f131;
  shl.b32 %r62, %r61, 23;
  mov.b32 %f136, %r62;
  ex2.approx.ftz.f32 %f137, %f135;
  sub.f32 %f138, %f52, %f5;
  fma.rn.f32 %f139, %f138, %f55, %f54;
  cvt.sat.f32.f32 %f140, %f139;
  fma.rm.f32 %f141, %f140, %f59, %f58;
  add.f32 %f142, %f141, 0fCB40007F;
  neg.f32 %f143, %f142;
  fma.rn.f32 %f144, %f138, %f63, %f143;
  fma.rn.f32 %f145, %f138, %f65, %f144;
  mov.b32 %r63, %f141;
  shl.b32 %r64, %r63, 23;
  mov.b32 %f146, %r64;
  ex2.approx.ftz.f32 %f147, %f145;
  mul.f32 %f148, %f147, %f146;
  fma.rn.f32 %f149, %f137, %f136, %f148;
  add.f32 %f279, %f127, %f149;
  add.s64 %rd40, %rd40, 2048;
  add.s32 %r116, %r116, 128;
  setp.lt.s32 %p10, %r116, %r1;
  @%p10 bra $L__BB0_7;
$L__BB0_8:
  mov.b32 %r65, %f279;
  mov.u32 %r66, 31;
  mov.u32 %r67, 16;
  mov.u32 %r68, -1;
  shfl.sync.bfly.b32 %r69|%p11, %r65, %r67, %r66, %r68;
  mov.b32 %f150, %r69;
  add.f32 %f151, %f279, %f150;
  mov.b32 %r70, %f151;
  mov.u32 %r71, 8;
  shfl.sync.bfly.b32 %r72|%p12, %r70, %r71, %r66, %r68;
  mov.b32 %f152, %r72;
  add.f32 %f153, %f151, %f152;
  mov.b32 %r73, %f153;
  mov.u32 %r74, 4;
  shfl.sync.bfly.b32 %r75|%p13, %r73, %r74, %r66, %r68;
  mov.b32 %f154, %r75;
  add.f32 %f155, %f153, %f154;
  mov.b32 %r76, %f155;
  mov.u32 %r77, 2;
  shfl.sync.bfly.b32 %r78|%p14, %r76, %r77, %r66, %r68;
  mov.b32 %f156, %r78;
  add.f32 %f157, %f155, %f156;
  mov.b32 %r79, %f157;
  mov.u32 %r80, 1;
  shfl.sync.bfly.b32 %r81|%p15, %r79, %r80, %r66, %r68;
  mov.b32 %f158, %r81;
  add.f32 %f9, %f157, %f158;
  @%p8 bra $L__BB0_10;
  shr.u32 %r82, %r117, 3;
  and.b32 %r83, %r82, 536870908;
  mov.u32 %r84, _ZZ7softmaxE4sums;
  add.s32 %r85, %r84, %r83;
  st.shared.f32 [%r85], %f9;
$L__BB0_10:
  bar.sync 0;
  @%p1 bra $L__BB0_13;
  ld.shared.f32 %f159, [_ZZ7softmaxE4sums+4];
  ld.shared.f32 %f160, [_ZZ7softmaxE4sums];
  ld.shared.f32 %f161, [_ZZ7softmaxE4sums+12];
  ld.shared.f32 %f162, [_ZZ7softmaxE4sums+8];
  add.f32 %f163, %f162, %f161;
  add.f32 %f164, %f160, %f159;
  add.f32 %f165, %f164, %f163;
  rcp.rn.f32 %f10, %f165;
  mul.wide.s32 %rd32, %r117, 8;
  mov.u32 %r86, %ctaid.x;
  cvt.u64.u32 %rd33, %r86;
  mul.lo.s64 %rd34, %rd15, %rd33;
  add.s64 %rd35, %rd32, %rd34;
  cvta.to.global.u64 %rd36, %rd13;
  shl.b64 %rd37, %rd35, 1;
  add.s64 %rd42, %rd36, %rd37;
  cvta.to.global.u64 %rd38, %rd14;
  add.s64 %rd41, %rd38, %rd37;
$L__BB0_12:
  .pragma "nounroll";
  ld.global.nc.v4.u32 {%r91, %r92, %r93, %r94}, [%rd42];
  mov.b32 {%rs17, %rs18}, %r91;
  { cvt.f32.bf16 %f166, %rs17;}
  { cvt.f32.bf16 %f167, %rs18;}
  sub.f32 %f182, %f166, %f5;
  mov.f32 %f183, 0f3F000000;
  mov.f32 %f184, 0f3BBB989D;
  fma.rn.f32 %f185, %f182, %f184, %f183;
  cvt.sat.f32.f32 %f186, %f185;
  mov.f32 %f187, 0f4B400001;
  mov.f32 %f188, 0f437C0000;
  fma.rm.f32 %f189, %f186, %f188, %f187;
  add.f32 %f190, %f189, 0fCB40007F;
  neg.f32 %f191, %f190;
  mov.f32 %f192, 0f3FB8AA3B;
  fma.rn.f32 %f193, %f182, %f192, %f191;
  mov.f32 %f194, 0f32A57060;
  fma.rn.f32 %f195, %f182, %f194, %f193;
  mov.b32 %r99, %f189;
  shl.b32 %r100, %r99, 23;
  mov.b32 %f196, %r100;
  ex2.approx.ftz.f32 %f197, %f195;
  mul.f32 %f198, %f197, %f196;
  mul.f32 %f168, %f10, %f198;
  sub.f32 %f199, %f167, %f5;
  fma.rn.f32 %f200, %f199, %f184, %f183;
  cvt.sat.f32.f32 %f201, %f200;
  fma.rm.f32 %f202, %f201, %f188, %f187;
  add.f32 %f203, %f202, 0fCB40007F;
  neg.f32 %f204, %f203;
  fma.rn.f32 %f205, %f199, %f192, %f204;
  fma.rn.f32 %f206, %f199, %f194, %f205;
  mov.b32 %r101, %f202;
  shl.b32 %r102, %r101, 23;
  mov.b32 %f207, %r102;
  ex2.approx.ftz.f32 %f208, %f206;
  mul.f32 %f209, %f208, %f207;
  mul.f32 %f169, %f10, %f209;
  mov.b32 {%rs19, %rs20}, %r92;
  { cvt.f32.bf16 %f170, %rs19;}
  { cvt.f32.bf16 %f171, %rs20;}
  sub.f32 %f210, %f170, %f5;
  fma.rn.f32 %f211, %f210, %f184, %f183;
  cvt.sat.f32.f32 %f212, %f211;
  fma.rm.f32 %f213, %f212, %f188, %f187;
  add.f32 %f214, %f213, 0fCB40007F;
  neg.f32 %f215, %f214;
  fma.rn.f32 %f216, %f210, %f192, %f215;
  fma.rn.f32 %f217, %f210, %f194, %f216;
  mov.b32 %r103, %f213;
  shl.b32 %r104, %r103, 23;
  mov.b32 %f218, %r104;
  ex2.approx.ftz.f32 %f219, %f217;
  mul.f32 %f220, %f219, %f218;
  mul.f32 %f172, %f10, %f220;
  sub.f32 %f221, %f171, %f5;
  fma.rn.f32 %f222, %f221, %f184, %f183;
  cvt.sat.f32.f32 %f223, %f222;
  fma.rm.f32 %f224, %f223, %f188, %f187;
  add.f32 %f225, %f224, 0fCB40007F;
  neg.f32 %f226, %f225;
  fma.rn.f32 %f227, %f221, %f192, %f226;
  fma.rn.f32 %f228, %f221, %f194, %f227;
  mov.b32 %r105, %f224;
  shl.b32 %r106, %r105, 23;
  mov.b32 %f229, %r106;
  ex2.approx.ftz.f32 %f230, %f228;
  mul.f32 %f231, %f230, %f229;
  mul.f32 %f173, %f10, %f231;
  mov.b32 {%rs21, %rs22}, %r93;
  { cvt.f32.bf16 %f174, %rs21;}
  { cvt.f32.bf16 %f175, %rs22;}
  sub.f32 %f232, %f174, %f5;
  fma.rn.f32 %f233, %f232, %f184, %f183;
  cvt.sat.f32.f32 %f234, %f233;
  fma.rm.f32 %f235, %f234, %f188, %f187;
  add.f32 %f236, %f235, 0fCB40007F;
  neg.f32 %f237, %f236;
  fma.rn.f32 %f238, %f232, %f192, %f237;
  fma.rn.f32 %f239, %f232, %f194, %f238;
  mov.b32 %r107, %f235;
  shl.b32 %r108, %r107, 23;
  mov.b32 %f240, %r108;
  ex2.approx.ftz.f32 %f241, %f239;
  mul.f32 %f242, %f241, %f240;
  mul.f32 %f176, %f10, %f242;
  sub.f32 %f243, %f175, %f5;
  fma.rn.f32 %f244, %f243, %f184, %f183;
  cvt.sat.f32.f32 %f245, %f244;
  fma.rm.f32 %f246, %f245, %f188, %f187;
  add.f32 %f247, %f246, 0fCB40007F;
  neg.f32 %f248, %f247;
  fma.rn.f32 %f249, %f243, %f192, %f248;
  fma.rn.f32 %f250, %f243, %f194, %f249;
  mov.b32 %r109, %f246;
  shl.b32 %r110, %r109, 23;
  mov.b32 %f251, %r110;
  ex2.approx.ftz.f32 %f252, %f250;
  mul.f32 %f253, %f252, %f251;
  mul.f32 %f177, %f10, %f253;
  mov.b32 {%rs23, %rs24}, %r94;
  { cvt.f32.bf16 %f178, %rs23;}
  { cvt.f32.bf16 %f179, %rs24;}
  sub.f32 %f254, %f178, %f5;
  fma.rn.f32 %f255, %f254, %f184, %f183;
  cvt.sat.f32.f32 %f256, %f255;
  fma.rm.f32 %f257, %f256, %f188, %f187;
  add.f32 %f258, %f257, 0fCB40007F;
  neg.f32 %f259, %f258;
  fma.rn.f32 %f260, %f254, %f192, %f259;
  fma.rn.f32 %f261, %f254, %f194, %f260;
  mov.b32 %r111, %f257;
  shl.b32 %r112, %r111, 23;
  mov.b32 %f262, %r112;
  ex2.approx.ftz.f32 %f263, %f261;
  mul.f32 %f264, %f263, %f262;
  mul.f32 %f180, %f10, %f264;
  sub.f32 %f265, %f179, %f5;
  fma.rn.f32 %f266, %f265, %f184, %f183;
  cvt.sat.f32.f32 %f267, %f266;
  fma.rm.f32 %f268, %f267, %f188, %f187;
  add.f32 %f269, %f268, 0fCB40007F;
  neg.f32 %f270, %f269;
  fma.rn.f32 %f271, %f265, %f192, %f270;
  fma.rn.f32 %f272, %f265, %f194, %f271;
  mov.b32 %r113, %f268;
  shl.b32 %r114, %r113, 23;
  mov.b32 %f273, %r114;
  ex2.approx.ftz.f32 %f274, %f272;
  mul.f32 %f275, %f274, %f273;
  mul.f32 %f181, %f10, %f275;
  { cvt.rn.bf16x2.f32 %r90, %f181, %f180;}
  { cvt.rn.bf16x2.f32 %r89, %f177, %f176;}
  { cvt.rn.bf16x2.f32 %r88, %f173, %f172;}
  { cvt.rn.bf16x2.f32 %r87, %f169, %f168;}
  st.global.v4.u32 [%rd41], {%r87, %r88, %r89, %r90};
  add.s64 %rd42, %rd42, 2048;
  add.s64 %rd41, %rd41, 2048;
  add.s32 %r117, %r117, 128;
  setp.lt.s32 %p18, %r117, %r1;
  @%p18 bra $L__BB0_12;
$L__BB0_13:
  ret;
}
)ptx"
