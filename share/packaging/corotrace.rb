# A Homebrew formula: recorder and probes are for Linux.
class Corotrace < Formula
  desc "Find stuck coroutines and lost wakeups in M:N schedulers"
  homepage "https://example.invalid/corotrace"
  url "https://example.invalid/corotrace/corotrace-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000" # of the release's archive
  license "MIT"

  depends_on "pkg-config" => :build
  depends_on "binutils"
  depends_on "elfutils"
  depends_on "jq"
  depends_on :linux
  depends_on "ncurses"
  depends_on "sqlite"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    (testpath/"trace.jsonl").write <<~EOS
      {"ev":"meta","ts":1,"format":"corotrace","version":2,"tool":"t"}
      {"ev":"end","ts":2,"events":0,"lost":0}
    EOS
    assert_match "version 2", shell_output("#{bin}/ct-check trace.jsonl", 3)
  end
end
