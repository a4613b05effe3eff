/** An archive that a manifest names. */
export interface Download {
  readonly url: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** What both manifests say. */
interface About {
  readonly version: string;
  readonly homepage: string;
}

/** The archives that Homebrew installs: two for macOS, two for Linux. */
export type BrewDownloads = Readonly<
  Record<"darwin-arm64" | "darwin-x64" | "linux-arm64" | "linux-x64-baseline", Download>
>;

/** The formula of Homebrew, with a service. */
export function homebrewFormula({ version, homepage }: About, downloads: BrewDownloads): string {
  const source = (name: keyof BrewDownloads) =>
    `url "${downloads[name].url}"\n      sha256 "${downloads[name].sha256}"`;
  return `class Coffer < Formula
  desc "Self-hosted cloud drive for software agents and the humans who own them"
  homepage "${homepage}"
  version "${version}"
  license "MIT"

  on_macos do
    on_arm do
      ${source("darwin-arm64")}
    end
    on_intel do
      ${source("darwin-x64")}
    end
  end

  on_linux do
    on_arm do
      ${source("linux-arm64")}
    end
    on_intel do
      ${source("linux-x64-baseline")}
    end
  end

  # To strip the executable would take Coffer out of it.
  skip_clean "bin"

  def install
    bin.install "coffer"
  end

  service do
    run [opt_bin/"coffer", "serve"]
    keep_alive successful_exit: false
    environment_variables COFFER_DATA_DIR: var/"coffer"
    log_path var/"log/coffer.log"
    error_log_path var/"log/coffer.log"
  end

  test do
    assert_match "coffer #{version}", shell_output("#{bin}/coffer version")
  end
end
`;
}

/** The manifest of Scoop. @param directory what the archive has everything in */
export function scoopManifest(
  { version, homepage }: About,
  { url, sha256 }: Download,
  directory: string,
): object {
  return {
    version,
    description: "A self-hosted cloud drive for software agents and the humans who own them",
    homepage,
    license: "MIT",
    architecture: { "64bit": { url, hash: sha256, extract_dir: directory } },
    bin: "coffer.exe",
  };
}
