//===- Sanitizers.h - what this build is instrumented for -------*- C++ -*-===//
#ifndef RLX_TEST_UNIT_RUNTIME_SANITIZERS_H
#define RLX_TEST_UNIT_RUNTIME_SANITIZERS_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/// Threads cannot be started after a fork under the thread sanitizer.
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define RLX_HAS_TSAN 1
#else
#define RLX_HAS_TSAN 0
#endif

/// The sanitizers bring a malloc of their own.
#if RLX_HAS_TSAN || defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define RLX_HAS_OWN_MALLOC 1
#else
#define RLX_HAS_OWN_MALLOC 0
#endif

#endif // RLX_TEST_UNIT_RUNTIME_SANITIZERS_H
