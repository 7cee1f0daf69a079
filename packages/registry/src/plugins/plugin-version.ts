import { invalidRequest } from '@ledger-ops/base';
import semver from 'semver';
import type { PluginInspection } from './types.ts';

/** Normalizes a semantic version, keeping build metadata; null if it is not a semantic version. */
function readVersion(text: string): string | null {
  const parsed = semver.parse(text);
  if (parsed === null) return null;
  return parsed.build.length === 0 ? parsed.version : `${parsed.version}+${parsed.build.join('.')}`;
}

/**
 * Returns the plugin version in a request; null if the request has none.
 * @throws Problem `invalid-request`
 */
export function givenVersion(version: string | null | undefined): string | null {
  if (version === null || version === undefined) return null;
  const read = readVersion(version);
  if (read !== null) return read;
  throw invalidRequest([{ pointer: '/version', detail: 'must be a semantic version, such as 1.4.0' }]);
}

/**
 * Returns the version of the module that was loaded; null if no module was loaded, or if it does not have a
 * semantic version.
 */
export function moduleVersion(inspection: PluginInspection | null): string | null {
  if (inspection === null || typeof inspection.found === 'string') return null;
  return readVersion(inspection.found.version);
}

/**
 * Returns a warning if the module's version is unknown, is not a semantic version, or differs from the recorded one.
 */
export function versionWarnings({ found }: PluginInspection, recorded: string | null): string[] {
  const remedy = 'so plugins with a known version take precedence. You can set its version now or later';
  if (typeof found === 'string') {
    return recorded === null ? [`The plugin's version is unknown, ${remedy}.`] : [];
  }
  const read = readVersion(found.version);
  if (read === null) {
    const stated = `The module reports the version "${found.version}", which is not a semantic version`;
    return [recorded === null ? `${stated}, ${remedy}.` : `${stated}.`];
  }
  return recorded === null || recorded === read
    ? []
    : [`The module reports the version ${read}, not ${recorded}.`];
}

/** Newest first, by semantic version precedence, which ignores build metadata. An unknown version comes last. */
export function compareNewestFirst(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return semver.rcompare(one, other);
}
