import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DevnetError } from './error.ts';

/** How to start anvil: the program and its leading arguments. */
export interface AnvilCommand {
  file: string;
  args: string[];
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Finds anvil in the installed packages: the platform's binary, or the launcher of the main package. Downloads nothing.
 *
 * @throws DevnetError if the packages are not installed
 */
export function findAnvil(platform: string = process.platform, arch: string = process.arch): AnvilCommand {
  const require = createRequire(import.meta.url);
  let home: string;
  try {
    home = dirname(require.resolve('@foundry-rs/anvil/package.json'));
  } catch (cause) {
    throw new DevnetError('The package @foundry-rs/anvil is not installed: install the dependencies.', {
      cause,
    });
  }
  const name = `@foundry-rs/anvil-${platform}-${architectures[arch] ?? arch}`;
  const binary = platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    // The platform's package is a dependency of the main package, so it is resolved from there.
    const file = createRequire(join(home, 'package.json')).resolve(`${name}/bin/${binary}`);
    return { file, args: [] };
  } catch {
    return { file: process.execPath, args: [join(home, 'bin.mjs')] };
  }
}
