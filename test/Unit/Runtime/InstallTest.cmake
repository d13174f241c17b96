# Installs the runtime to a fresh prefix, and builds and runs a program against it
# as a user does: with nothing but find_package(rlx).
#
#   cmake -DBUILD=<build folder> -DEXAMPLE=<examples/embed> -DOBJECT=<toy.c>
#         -DGENERATOR=... -DC=... -DCXX=... -DFLAGS=... -P InstallTest.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

set(work "${BUILD}/test/install")
file(REMOVE_RECURSE "${work}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${work}/prefix" --component runtime)
# A prefix may move: nothing in it may point to where it was.
file(RENAME "${work}/prefix" "${work}/moved")
run(${CMAKE_COMMAND} -G "${GENERATOR}" -S "${EXAMPLE}" -B "${work}/build"
  "-DCMAKE_PREFIX_PATH=${work}/moved" "-DRLX_EMBED_OBJECT=${OBJECT}"
  "-DCMAKE_C_COMPILER=${C}" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build "${work}/build")
run("${work}/build/embed")
