#include "CpuQuota.h"
#include "Toy.h"

#include <fstream>

using namespace rlx;
using namespace rlx::test;
using rlx::runtime::cgroupCpuQuota;

namespace {

/// A folder that stands for the root of the file system.
class CpuQuota : public testing::Test {
protected:
  void write(const std::string &path, const std::string &text) {
    std::filesystem::path file = root / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::optional<double> quota() { return cgroupCpuQuota(root / ""); }

  TemporaryFolder root;
};

} // namespace

TEST_F(CpuQuota, IsAbsentWithoutCgroups) { EXPECT_EQ(quota(), std::nullopt); }

TEST_F(CpuQuota, IsTheSmallestOfAllParentsInVersion2) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(quota(), 2.5);
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(CpuQuota, IsTheMountsOwnInAContainer) {
  write("proc/self/cgroup", "0::/not/visible/here\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CpuQuota, IsReadInVersion1) {
  write("proc/self/cgroup", "12:memory:/x\n4:cpu,cpuacct:/docker/1\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST(AvailableCpus, AreAtLeastOne) {
  EXPECT_GE(runtime::availableCpus(), 1u);
  EXPECT_GE(rlx_pool_threads(), 1u);
}
