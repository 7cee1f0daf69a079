import { contentLimits } from '../content/content-limits.ts';
import type { ContentIssue } from '../content/content-run.ts';
import { type ContentSchema, compileSchema, type JsonSchema } from '../content/content-schema.ts';
import { ownPattern, type Pattern, type ReadPattern } from '../content/pattern.ts';
import { patternWeight, tooHeavy } from '../content/pattern-weight.ts';
import { GloError, type GloIssue } from '../errors.ts';
import { gloLimits } from '../limits.ts';
import { isObject } from '../read-member.ts';
import { type OperationType, operationTypes } from '../types.ts';

/** A technology's native transaction content, as plain JSON. */
export interface GloContent {
  /**
   * Schema of `native_transaction_content`, or one per operation type that has content. Quantities are
   * `{"format": "quantity"}`. `writeOnly` parts may neither be stored in plain text nor logged. An `x-wallet`
   * text names another wallet, which also signs.
   */
  schema: JsonSchema | { [type in OperationType]?: JsonSchema };
  /** Pattern of the supported meta versions. Default: any text. */
  version?: string;
  /** The version that is written. Default if `version` is absent: `1`. */
  currentVersion?: string;
  overrides?: ContentOverrides;
}

/** Names of the content members that override options of a GLO. */
export interface ContentOverrides {
  /** Replaces recipient and contract. */
  address?: string;
  /** Parts of a contract's address, joined by `/`; the last one is optional. */
  addressParts?: string[];
  /** A quantity: replaces the amount of a transfer, and is the amount sent with a call or a deployment. */
  amount?: string;
  /**
   * Data added to a transfer. Replaces method and arguments of a call, and source and arguments of a
   * deployment.
   */
  data?: string;
  /** Whether addresses are compared case-insensitively. */
  ignoreCase?: boolean;
}

/** A technology, as needed for reading GLOs. Created by `readTechnology`; the specified ones exist already. */
export interface GloTechnology {
  /** The name used in locators and meta. */
  readonly technology: string;
  readonly overrides: Readonly<ContentOverrides>;
  /** Pattern of the meta versions that are read, for use in issues; null if every version is read. */
  readonly versions: string | null;
  readsVersion(version: string): boolean;
  /** Returns the schema that validates the content of operations of this type. */
  contentOf(type: OperationType): ContentSchema;
  /** Rules between members that no schema can express. Reads raw JSON. */
  rules?(content: unknown, type: unknown, pointer: string): ContentIssue[];
}

/** Valid technology names. */
export const technologyName: RegExp = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Whether a value matches {@link technologyName}. */
export function isTechnologyName(name: unknown): name is string {
  return typeof name === 'string' && technologyName.test(name);
}

const noContent: JsonSchema = { type: 'object', additionalProperties: false };

/** Creates a technology from its content description. @throws {GloError} with pointers into `content` */
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
      versions === undefined ||
      (text.length <= Math.min(gloLimits.nameLength, versions.longest) && versions.test(text)),
    // Every operation type has a schema.
    contentOf: (type) => byType[type] as ContentSchema,
    ...(rules === undefined ? {} : { rules }),
  };
}

/**
 * Returns a technology without a description: its content is any JSON object within the limits, and overrides
 * nothing.
 */
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
  const weight = patternWeight(source);
  if (weight > contentLimits.versionPatternWeight) {
    return refuse([{ pointer, detail: tooHeavy(weight, contentLimits.versionPatternWeight) }]);
  }
  try {
    return readPattern(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse([{ pointer, detail: error.message }]);
  }
}

/** `currentVersion`, which is written to `meta`, must match the pattern of versions that can be read. */
function checkCurrentVersion(current: unknown, versions: Pattern | undefined): void {
  const pointer = '/currentVersion';
  if (current === undefined) {
    if (versions !== undefined)
      refuse([{ pointer, detail: 'is required with `version`, and must match its pattern' }]);
  } else if (!isMember(current)) {
    refuse([{ pointer, detail: `must be text of 1 to ${gloLimits.nameLength} characters` }]);
  } else if (versions?.test(current) === false) {
    refuse([{ pointer, detail: 'must match the pattern in `/version`' }]);
  }
}

/** Maximum number of parts of an address. Each is looked up in all schemas. */
const mostAddressParts = 8;

const overrideKinds: Readonly<Record<keyof ContentOverrides, (value: unknown) => boolean>> = {
  address: isMember,
  addressParts: (value) =>
    Array.isArray(value) && value.length > 1 && value.length <= mostAddressParts && value.every(isMember),
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
    if (!Object.hasOwn(overrideKinds, name)) return [{ pointer: at, detail: 'is not a known member' }];
    const isValid = overrideKinds[name as keyof ContentOverrides];
    if (!isValid(value)) return [{ pointer: at, detail: 'has an invalid value' }];
    const members = [value].flat().filter((member) => typeof member === 'string');
    if (members.some((member) => contents.some((content) => namesWallet(member, content)))) {
      return [{ pointer: at, detail: 'names an x-wallet member, which is not one of the options' }];
    }
    if (!members.some((member) => contents.some((content) => isSecret(member, content)))) return [];
    return [
      {
        pointer: at,
        detail: 'names a writeOnly member, which would be stored in plain text with the options',
      },
    ];
  });
  return issues.length > 0 ? refuse(issues) : { ...overrides };
}

/** Whether this member is omitted when secrets are removed. */
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
