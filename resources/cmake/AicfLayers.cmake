# One OBJECT library a layer, sources globbed. Objects, not archives: what registers itself must not be dropped by the
# linker. `aicf_layer(NAME deps...)` builds every .cpp below the current folder into aicf_NAME.
function(aicf_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(aicf_${name} OBJECT ${sources})
  target_include_directories(aicf_${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CLI11_INCLUDE})
  target_link_libraries(aicf_${name} PUBLIC nlohmann_json::nlohmann_json Threads::Threads ${ARGN})
  set_property(GLOBAL APPEND PROPERTY AICF_OBJECTS $<TARGET_OBJECTS:aicf_${name}>)
  set_property(GLOBAL APPEND PROPERTY AICF_LINKS ${ARGN})
endfunction()

# Gives a target the objects of every engine layer and what they link.
function(aicf_engine target)
  get_property(objects GLOBAL PROPERTY AICF_OBJECTS)
  get_property(links GLOBAL PROPERTY AICF_LINKS)
  list(REMOVE_DUPLICATES links)
  target_sources(${target} PRIVATE ${objects})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR} ${CLI11_INCLUDE})
  target_link_libraries(${target} PUBLIC nlohmann_json::nlohmann_json Threads::Threads ${links} ${CMAKE_DL_LIBS})
endfunction()

# A program of all engine layers: `aicf_program(aicf main.cpp)`.
function(aicf_program name)
  add_executable(${name} ${ARGN})
  aicf_engine(${name})
endfunction()
