# Installs the headers, the runtime and its CMake package; see docs/runtime-api.md.
#
#   find_package(rlx REQUIRED)
#   target_link_libraries(app PRIVATE rlx::runtime)   # or rlx::runtime-shared

include(CMakePackageConfigHelpers)
set(RLX_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/rlx")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/rlx/Runtime"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rlx" COMPONENT runtime FILES_MATCHING PATTERN "*.h")
install(TARGETS rlxRuntime rlxRuntimeShared EXPORT rlx-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
install(EXPORT rlx-targets NAMESPACE rlx:: DESTINATION "${RLX_CMAKE_DIR}" COMPONENT runtime)

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/rlx-config.cmake.in" "${PROJECT_BINARY_DIR}/rlx-config.cmake"
  INSTALL_DESTINATION "${RLX_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rlx-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/rlx-config.cmake"
  "${PROJECT_BINARY_DIR}/rlx-config-version.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindPthreadpool.cmake"
  DESTINATION "${RLX_CMAKE_DIR}" COMPONENT runtime)

# The tools that this configuration builds.
foreach(tool rlx-run rlx-compile rlx-opt rlx-interpret rlx-lsp-server)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
  endif()
endforeach()
