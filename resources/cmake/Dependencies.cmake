# Every library from outside, in one place. README says why each is used.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Protobuf REQUIRED)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(ONNX_PROTO_DIR onnx/onnx.proto REQUIRED)

# Archives for the programs, since `aicf` is carried to GPU servers and needs glibc alone there. Shared libraries for
# targets with the property AICF_SHARED_LIBRARIES: the tests' engine is itself one, and the distributions' archives are
# not compiled to go into those.
define_property(TARGET PROPERTY AICF_SHARED_LIBRARIES BRIEF_DOCS "Link libraries from outside as shared ones")
function(aicf_library target header library)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_ARCHIVE NAMES lib${library}.a ${library} REQUIRED)
  find_library(${target}_SHARED NAMES ${library} REQUIRED)
  add_library(aicf::${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(aicf::${target} INTERFACE ${${target}_INCLUDE})
  target_link_libraries(
    aicf::${target} INTERFACE
    $<IF:$<BOOL:$<TARGET_PROPERTY:AICF_SHARED_LIBRARIES>>,${${target}_SHARED},${${target}_ARCHIVE}> ${ARGN})
endfunction()
aicf_library(gmp gmp.h gmp)
aicf_library(mpfr mpfr.h mpfr aicf::gmp)
aicf_library(sqlite sqlite3.h sqlite3 Threads::Threads m)
aicf_library(protobuf google/protobuf/message.h protobuf Threads::Threads)

find_package(Qt6 6.4 QUIET COMPONENTS Core Gui Widgets PrintSupport Test)
if(Qt6_FOUND)
  find_package(QCustomPlotQt6 QUIET)
  find_library(QSCINTILLA qscintilla2_qt6)
  find_path(QSCINTILLA_INCLUDE Qsci/qsciscintilla.h PATH_SUFFIXES qt6)
else()
  message(STATUS "Qt 6 not found: building aicf alone, without the window and without the tests")
endif()
