// The cases of a switch over Code for the operations of lane_ops.def. Whoever includes it says how a value of each lane
// is written: EACH_LANE(D, value) and EACH_TEST(value); src(operand) gives an operand's lanes, imm the constant.
#define SOURCE(T, x) const auto* p##x = reinterpret_cast<const Bits<T>*>(src(op.x));
#define VALUE(T, x) [[maybe_unused]] const T x = get<T>(p##x[i]);
#define LANE1(name, canonical, D, A, expression) \
  case Code::name: { \
    SOURCE(A, a) \
    EACH_LANE(D, [&](u32 i) INLINED { \
      VALUE(A, a) \
      return expression; \
    }); \
    break; \
  }
#define LANE2(name, canonical, D, A, B, expression) \
  case Code::name: { \
    SOURCE(A, a) \
    SOURCE(B, b) \
    EACH_LANE(D, [&](u32 i) INLINED { \
      VALUE(A, a) \
      VALUE(B, b) \
      return expression; \
    }); \
    break; \
  }
#define LANE3(name, canonical, D, A, B, C, expression) \
  case Code::name: { \
    SOURCE(A, a) \
    SOURCE(B, b) \
    SOURCE(C, c) \
    EACH_LANE(D, [&](u32 i) INLINED { \
      VALUE(A, a) \
      VALUE(B, b) \
      VALUE(C, c) \
      return expression; \
    }); \
    break; \
  }
#define TEST1(name, canonical, A, expression) \
  case Code::name: { \
    SOURCE(A, a) \
    EACH_TEST([&](u32 i) INLINED -> bool { \
      VALUE(A, a) \
      return expression; \
    }); \
    break; \
  }
#define TEST2(name, canonical, A, B, expression) \
  case Code::name: { \
    SOURCE(A, a) \
    SOURCE(B, b) \
    EACH_TEST([&](u32 i) INLINED -> bool { \
      VALUE(A, a) \
      VALUE(B, b) \
      return expression; \
    }); \
    break; \
  }
#include "core/exec/emulator/lane_ops.def"
#undef LANE1
#undef LANE2
#undef LANE3
#undef TEST1
#undef TEST2
#undef SOURCE
#undef VALUE
