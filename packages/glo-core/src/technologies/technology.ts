import type { ContentIssue } from '../content/content-run.ts';
import { type ContentSchema, compileSchema, type JsonSchema } from '../content/content-schema.ts';
import { ownPattern, type Pattern, type ReadPattern } from '../content/pattern.ts';
import { GloError, type GloIssue } from '../errors.ts';
import { gloLimits } from '../limits.ts';
import { isObject } from '../read-member.ts';
import { type OperationType, operationTypes } from '../types.ts';

/** A technology's native transaction content, as plain JSON. */
export interface GloContent {
  /**
   * Schema of `native_transaction_content`; where it differs by operation, one for each that has content. Quantities are
   * `{"format": "quantity"}`. What is `writeOnly` may be neither stored in the clear nor logged; what is `x-wallet` is a text
   * that names another wallet, which is to sign too.
   */
  schema: JsonSchema | { [type in OperationType]?: JsonSchema };
  /** Versions of meta that are read, as a pattern. Default: any name. */
  version?: string;
  /** The one of them that is written. Default, only where any name is read: `1`. */
  currentVersion?: string;
  overrides?: ContentOverrides;
}

/** How content stands to the options of a GLO that it may override: the names of members. */
export interface ContentOverrides {
  /** Replaces recipient and contract. */
  address?: string;
  /** Parts of a contract's address, which are joined by `/`; the last of them may be absent. */
  addressParts?: string[];
  /** A quantity: replaces the amount of a transfer, and is what a call or deployment sends along. */
  amount?: string;
  /** Goes along with a transfer; replaces method and arguments of a call, source and arguments of a deployment. */
  data?: string;
  /** Addresses are compared without regard to case. */
  ignoreCase?: boolean;
}

/** A technology as GLOs are read for it. Made by `readTechnology`; the specified ones are ready. */
export interface GloTechnology {
  /** The name that locators and meta have. */
  readonly technology: string;
  readonly overrides: Readonly<ContentOverrides>;
  /** The versions of meta that are read, as issues name them; null when any name is. */
  readonly versions: string | null;
  readsVersion(version: string): boolean;
  /** The schema of the content of one type of operation. */
  contentOf(type: OperationType): ContentSchema;
  /** Rules between members that no schema can say. Looks at raw JSON. */
  rules?(content: unknown, type: unknown, pointer: string): ContentIssue[];
}

/** Names that a technology may have. */
export const technologyName: RegExp = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Is this a name that a technology may have? */
export function isTechnologyName(name: unknown): name is string {
  return typeof name === 'string' && technologyName.test(name);
}

const noContent: JsonSchema = { type: 'object', additionalProperties: false };

/** Makes a technology of what is known of its content. @throws {GloError} with pointers into `content` */
export function compileTechnology(
  technology: string,
  content: GloContent,
  readPattern: ReadPattern,
  rules?: GloTechnology['rules'],
): GloTechnology {
  if (!isTechnologyName(technology))
    refuse([{ pointer: '', detail: `the name must match ${technologyName}` }]);
  const { schema, overrides = {}, version, currentVersion } = content;
  const contents = isByType(schema)
    ? operationTypes.map(
        (type) => [type, schemaAt(schema[type] ?? noContent, `/schema/${type}`, readPattern)] as const,
      )
    : one(schemaAt(schema, '/schema', readPattern));
  const byType = Object.fromEntries(contents);
  const versions = version === undefined ? undefined : patternAt(version, '/version', readPattern);
  checkCurrentVersion(currentVersion, versions);
  return {
    technology,
    overrides: readOverrides(overrides, Object.values(byType)),
    versions: version ?? null,
    readsVersion: (text) =>
      versions === undefined || (text.length <= gloLimits.nameLength && versions.test(text)),
    // Every type has one.
    contentOf: (type) => byType[type] as ContentSchema,
    ...(rules === undefined ? {} : { rules }),
  };
}

/** A technology of which nothing is known: its content is any JSON object within the limits, and overrides nothing. */
export function opaqueTechnology(technology: string): GloTechnology {
  opaqueContent ??= compileSchema({ type: 'object' }, ownPattern);
  const content = opaqueContent;
  return { technology, overrides: {}, versions: null, readsVersion: () => true, contentOf: () => content };
}
let opaqueContent: ContentSchema | undefined;

function one(schema: ContentSchema): (readonly [OperationType, ContentSchema])[] {
  return operationTypes.map((type) => [type, schema]);
}

function isByType(schema: unknown): schema is { [type in OperationType]?: JsonSchema } {
  const names = isObject(schema) ? Object.keys(schema) : [];
  return names.length > 0 && names.every((name) => operationTypes.some((type) => type === name));
}

function schemaAt(schema: unknown, pointer: string, readPattern: ReadPattern): ContentSchema {
  try {
    return compileSchema(schema, readPattern);
  } catch (error) {
    if (!(error instanceof GloError)) throw error;
    return refuse(error.issues.map((issue) => ({ ...issue, pointer: pointer + issue.pointer })));
  }
}

function patternAt(source: unknown, pointer: string, readPattern: ReadPattern): Pattern {
  if (typeof source !== 'string') return refuse([{ pointer, detail: 'must be a regular expression' }]);
  try {
    return readPattern(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse([{ pointer, detail: error.message }]);
  }
}

/** Who writes meta must have a version to write: one that is read. */
function checkCurrentVersion(current: unknown, versions: Pattern | undefined): void {
  const pointer = '/currentVersion';
  if (current === undefined) {
    if (versions !== undefined)
      refuse([{ pointer, detail: 'must be given beside version: one that it reads' }]);
  } else if (!isMember(current)) {
    refuse([{ pointer, detail: `must be a text of 1 to ${gloLimits.nameLength} characters` }]);
  } else if (versions?.test(current) === false) {
    refuse([{ pointer, detail: 'is not read by the pattern in version' }]);
  }
}

const overrideKinds: Readonly<Record<keyof ContentOverrides, (value: unknown) => boolean>> = {
  address: isMember,
  addressParts: (value) => Array.isArray(value) && value.length > 1 && value.every(isMember),
  amount: isMember,
  data: isMember,
  ignoreCase: (value) => typeof value === 'boolean',
};

function isMember(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && value !== '__proto__' && value.length <= gloLimits.nameLength
  );
}

function readOverrides(overrides: unknown, contents: readonly ContentSchema[]): ContentOverrides {
  const pointer = '/overrides';
  if (!isObject(overrides)) return refuse([{ pointer, detail: 'must be an object' }]);
  const issues = Object.entries(overrides).flatMap(([name, value]): GloIssue[] => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(overrideKinds, name)) return [{ pointer: at, detail: 'is not a known member here' }];
    const isValid = overrideKinds[name as keyof ContentOverrides];
    if (!isValid(value)) return [{ pointer: at, detail: 'has no usable value' }];
    const members = [value].flat().filter((member) => typeof member === 'string');
    if (members.some((member) => contents.some((content) => namesWallet(member, content)))) {
      return [{ pointer: at, detail: 'names a member that is x-wallet, which is no part of the options' }];
    }
    if (!members.some((member) => contents.some((content) => isSecret(member, content)))) return [];
    return [
      {
        pointer: at,
        detail: 'names a member that is writeOnly, and would stand in the clear among the options',
      },
    ];
  });
  return issues.length > 0 ? refuse(issues) : { ...overrides };
}

/** Would this member be left out of what is stored in the clear? */
function isSecret(member: string, content: ContentSchema): boolean {
  const probe = { [member]: 'x' };
  return content.withoutSecrets(probe) !== probe;
}

function namesWallet(member: string, content: ContentSchema): boolean {
  let named = false;
  content.replaceWallets({ [member]: 'x' }, (text) => {
    named = true;
    return text;
  });
  return named;
}

function refuse(issues: readonly GloIssue[]): never {
  throw new GloError('invalid-glo', issues);
}
