import { CaError } from './error.ts';

/** A parsed request body. Unknown members are ignored, as in fabric-ca. */
export interface CaBody {
  /** Returns the member as a string; empty if absent. */
  text(name: string): string;
  /** Returns the member as an integer; 0 if absent. */
  number(name: string): number;
  /** Returns the member as a boolean; false if absent. */
  flag(name: string): boolean;
  /** Returns the member as a list of objects; undefined if absent. */
  list(name: string): CaBody[] | undefined;
  /** Returns the member as a list of strings; empty if absent. */
  texts(name: string): string[];
}

/**
 * Parses a body; an empty body has no members. Reading a member that has the wrong type throws the same error.
 * @throws CaError with status 400 and code `badBody` if the body is not a JSON object
 */
export function parseBody(bytes: Buffer): CaBody {
  if (bytes.length === 0) return bodyOf({});
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new CaError(400, 'badBody', 'Invalid request body: it is not JSON');
  }
  return bodyOf(value);
}

function bodyOf(value: unknown): CaBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CaError(400, 'badBody', 'Invalid request body: it is not an object');
  const members = new Map<string, unknown>(Object.entries(value));
  const bad = (name: string, what: string) =>
    new CaError(400, 'badBody', `Invalid request body: "${name}" is not ${what}`);
  const read = <T>(name: string, absent: T, what: string, is: (member: unknown) => member is T): T => {
    const member = members.get(name);
    if (member === undefined || member === null) return absent;
    if (!is(member)) throw bad(name, what);
    return member;
  };
  const isText = (member: unknown): member is string => typeof member === 'string';
  return {
    text: (name) => read(name, '', 'a text', isText),
    number: (name) =>
      read(name, 0, 'a whole number', (member): member is number => Number.isSafeInteger(member)),
    flag: (name) =>
      read(name, false, 'true or false', (member): member is boolean => typeof member === 'boolean'),
    texts: (name) =>
      read(
        name,
        [],
        'a list of strings',
        (member): member is string[] => Array.isArray(member) && member.every(isText),
      ),
    list(name) {
      const member = members.get(name);
      if (member === undefined || member === null) return undefined;
      if (!Array.isArray(member)) throw bad(name, 'a list');
      return member.map(bodyOf);
    },
  };
}
