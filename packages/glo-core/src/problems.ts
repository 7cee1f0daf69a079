import { GloError, type GloErrorCode, type GloIssue } from './errors.ts';
import { gloLimits } from './limits.ts';
import { readableVersion } from './version.ts';

/** An issue, and the error code that it would have as the only issue. */
export interface Problem extends GloIssue {
  code: GloErrorCode;
}

export function invalid(pointer: string, detail: string): Problem {
  return { code: 'invalid-glo', pointer, detail };
}

/** @param versions pattern of the supported versions; if null or absent, those of a GLO */
export function unsupportedVersion(pointer: string, version: string, versions?: string | null): Problem {
  const shown = JSON.stringify(version.length > 32 ? `${version.slice(0, 32)}…` : version);
  const own = versions === undefined || versions === null || versions === readableVersion.source;
  const taken = own ? '0.1.x, write "0.1.0"' : `versions matching ${versions}`;
  const detail = `is ${shown}, which is not supported; use ${taken}`;
  return { code: 'unsupported-version', pointer, detail };
}

export function wrongLedger(pointer: string, named: string, target: string): Problem {
  const detail = `names the ledger technology "${named}", but the target ledger is "${target}"`;
  return { code: 'wrong-ledger', pointer, detail };
}

/** Combines problems into one error with the most specific code, and lists at most `gloLimits.issues` problems. */
export function toError(problems: readonly Problem[]): GloError {
  const code = problems[0]?.code ?? 'invalid-glo';
  const common = problems.every((problem) => problem.code === code) ? code : 'invalid-glo';
  const cut = problems.length > gloLimits.issues ? gloLimits.issues - 1 : problems.length;
  const issues = problems.slice(0, cut).map(({ pointer, detail }) => ({ pointer, detail }));
  const last = problems[cut];
  if (last !== undefined) {
    issues.push({ pointer: last.pointer, detail: `and ${problems.length - cut} more issues` });
  }
  return new GloError(common, issues);
}

/** Returns the problem of an unknown member; its pointer is `parent` if the name is too long. */
export function unknownMember(pointer: string, parent: string): Problem {
  const detail = 'is not a known member; remove it or correct its name';
  return invalid(
    pointer,
    pointer === parent
      ? 'has an unknown member whose name is too long to show; remove it or correct its name'
      : detail,
  );
}

/** Returns the kind of a value, for error messages, without its content. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'undefined':
      return 'absent';
    default:
      return `a ${typeof value}`;
  }
}
