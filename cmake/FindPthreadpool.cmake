# Finds pthreadpool, which comes without a CMake package, and defines
# Pthreadpool::Pthreadpool.

find_path(Pthreadpool_INCLUDE_DIR pthreadpool.h)
find_library(Pthreadpool_LIBRARY pthreadpool)
mark_as_advanced(Pthreadpool_INCLUDE_DIR Pthreadpool_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Pthreadpool
  REQUIRED_VARS Pthreadpool_LIBRARY Pthreadpool_INCLUDE_DIR)

if(Pthreadpool_FOUND AND NOT TARGET Pthreadpool::Pthreadpool)
  add_library(Pthreadpool::Pthreadpool UNKNOWN IMPORTED)
  set_target_properties(Pthreadpool::Pthreadpool PROPERTIES
    IMPORTED_LOCATION "${Pthreadpool_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Pthreadpool_INCLUDE_DIR}")
endif()
