import { z } from 'zod';

/** Version of the adapter interface that this package defines (semver). */
export const interfaceVersion = '0.1.0';

const number = '(?:0|[1-9][0-9]*)';
const labels = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const semver = new RegExp(`^${number}\\.${number}\\.${number}(?:-${labels})?(?:\\+${labels})?$`);

/** A version as plugins report it: MAJOR.MINOR.PATCH, optionally with a pre-release and build metadata. */
export const semanticVersion = z
  .string()
  .max(128, { abort: true })
  .regex(semver, 'must be a semantic version, such as 0.1.0');

/** Whether a string is a semantic version, as plugins report it. */
export function isSemanticVersion(text: string): boolean {
  return semanticVersion.safeParse(text).success;
}

/**
 * Whether a host can use an adapter that was written for another version of the interface. The major versions
 * must be equal; if they are 0, the minor versions must be equal too. The adapter's version must not be newer
 * than the host's, because the adapter may use newer features. Pre-releases and build metadata are ignored. A
 * string that is not a semantic version is not compatible.
 */
export function isCompatibleInterface(written: string, supported: string = interfaceVersion): boolean {
  if (!isSemanticVersion(written)) return false;
  const [major = 0, minor = 0, patch = 0] = numbers(written);
  const [hostMajor = 0, hostMinor = 0, hostPatch = 0] = numbers(supported);
  if (major !== hostMajor) return false;
  if (minor !== hostMinor) return major !== 0 && minor < hostMinor;
  return patch <= hostPatch;
}

function numbers(version: string): number[] {
  return version.split(/[-+]/, 1).join('').split('.').map(Number);
}
