/**
 * The reported parts of an exception that is not an AdapterError. The message is not reported, because it may
 * contain anything that the module has read. Name, code and place suffice to find the cause.
 */
export interface Failure {
  /** For example `TypeError`. */
  name: string;
  /** For example `ERR_MODULE_NOT_FOUND`. */
  code?: string | undefined;
  /** The package that Node did not find. */
  missing?: string | undefined;
  /** An access that Node's permission model refused: `FileSystemRead /etc/hosts`, `ChildProcess`. */
  denied?: string | undefined;
  /** Where the exception was thrown: up to three last segments of the file's path, line and column. */
  at?: string | undefined;
}

/** The allowed forms of each part, which cannot contain anything else. */
export const failureForms = {
  name: /^[A-Za-z]{1,40}$/,
  code: /^[A-Z][A-Z0-9_]{1,50}$/,
  missing: /^(?=.{1,214}$)(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/,
  denied: /^[A-Za-z]{1,40}(?: \/[\w@.+\-/]{0,300})?$/,
  at: /^(?=.{1,200}$)[\w@.+-]+(?:\/[\w@.+-]+){0,2}:\d{1,7}:\d{1,7}$/,
} as const;

/** The URL of a module may have a query, which is not reported. */
const frame = /^ {4}at (?:.* \()?(?:file:\/\/)?((?:\/|[A-Za-z]:)[^()?]*)(?:\?[^()]*)?:(\d+):(\d+)\)?$/;

/** Returns the first stack frame in the module, otherwise in one of its dependencies. */
function placeOf(stack: string, message: string): string | undefined {
  // Skips the message, because it can imitate stack frames.
  const end = stack.indexOf(message);
  const places = stack
    .slice(end === -1 ? 0 : end + message.length)
    .slice(0, 20_000)
    .split('\n')
    .flatMap((line) => {
      const [, path = '', row, column] = frame.exec(line) ?? [];
      return row === undefined
        ? []
        : [{ parts: path.split(/[\\/]/).filter(Boolean), where: `${row}:${column}` }];
    });
  const found = places.find(({ parts }) => !parts.includes('node_modules')) ?? places[0];
  return found === undefined ? undefined : `${found.parts.slice(-3).join('/')}:${found.where}`;
}

function textOf(error: Error, member: string): string {
  const value: unknown = Reflect.get(error, member);
  return typeof value === 'string' ? value : '';
}

/** Describes any thrown value without its message. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'value' };
  try {
    const [name, code, message] = ['name', 'code', 'message'].map((member) => textOf(error, member));
    const missing =
      code?.endsWith('MODULE_NOT_FOUND') === true
        ? /^Cannot find (?:package|module) '([^']+)'/.exec(message ?? '')?.[1]
        : undefined;
    const denied =
      code === 'ERR_ACCESS_DENIED'
        ? `${textOf(error, 'permission')} ${textOf(error, 'resource')}`.trim()
        : undefined;
    const at = placeOf(textOf(error, 'stack'), message ?? '');
    const told = { name: name ?? '', code, missing, denied, at };
    const isInForm = (member: keyof Failure) => failureForms[member].test(told[member] ?? '');
    return {
      name: isInForm('name') ? told.name : 'Error',
      ...(isInForm('code') ? { code } : {}),
      ...(isInForm('missing') ? { missing } : {}),
      ...(isInForm('denied') ? { denied } : {}),
      ...(isInForm('at') ? { at } : {}),
    };
  } catch {
    // Reading the members of the value may throw.
    return { name: 'Error' };
  }
}

/** Returns the name of an exception for an error message: `TypeError`, `Error (ENOENT)`. */
export function failureName({ name, code, missing }: Failure): string {
  const what = missing === undefined ? '' : `, the package ${missing} is not installed`;
  return `${name}${code === undefined ? '' : ` (${code})`}${what}`;
}

/** Returns name, code, place and denied access, for the log and for the user who registers the module. */
export function failureWords(one: Failure): string {
  const { at, denied } = one;
  const place = at === undefined ? '' : ` at ${at}`;
  return `${failureName(one)}${place}${denied === undefined ? '' : `; ${deniedWords(denied)}`}`;
}

function deniedWords(denied: string): string {
  const advice =
    'A plugin module can read only its own folder and the packages in its package.json; add it to PLUGINS_TRUSTED to give it all permissions of the server';
  return `Node’s permission model denies ${denied}. ${advice}`;
}
