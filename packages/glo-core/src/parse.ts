import { toPointer } from './json/pointer.ts';
import { readMeta } from './meta.ts';
import { toCallGlo, toGlo } from './normalise.ts';
import { invalid, kindOf, type Problem, toError, unsupportedVersion } from './problems.ts';
import { isObject, readMember } from './read-member.ts';
import { boundProblems, targetProblems } from './rules.ts';
import { cloudWalletGloSchema, gatewayGloSchema, gloSchemas, untypedGloSchema } from './schema/schema.ts';
import { schemaProblems } from './schema/schema-problems.ts';
import { createReader, type SchemaReader } from './schema/schema-reader.ts';
import { specifiedTechnologies } from './technologies/specified/index.ts';
import type { GloTechnology } from './technologies/technology.ts';
import type { Glo } from './types.ts';
import { readableVersion } from './version.ts';

const readTransfer = /*@__PURE__*/ createReader(gloSchemas.transfer);
const readCall = /*@__PURE__*/ createReader(gloSchemas.contract_call);
const readDeploy = /*@__PURE__*/ createReader(gloSchemas.contract_deploy);
const readGatewayForm = /*@__PURE__*/ createReader(gatewayGloSchema);
const readCloudWalletForm = /*@__PURE__*/ createReader(cloudWalletGloSchema);

/** Options for reading a locator. */
export interface ParseOptions {
  /** JSON Pointer of the value in its document, such as `/glo`: the prefix of every issue's pointer. */
  pointer?: string;
  /** Technology of the target ledger: a ledger locator or meta of another one is an issue. */
  target?: string;
}

/** Options for reading a GLO. */
export interface GloParseOptions extends ParseOptions {
  /**
   * Technologies whose native content is validated. Default: those of the specification. Content of any other is
   * opaque: any JSON object within `contentLimits`.
   */
  technologies?: readonly GloTechnology[];
}

/**
 * Reads a GLO from a parsed JSON value: the canonical form of version 0.1.x, or one of two deprecated forms of a
 * contract call (`{type, params}` and `{type, options}` in camel case). The deprecated forms have no `version`. If they
 * name a contract without a locator, its locator has the type `unresolved`.
 *
 * The canonical form refuses unknown members. The deprecated forms ignore them, but validate `meta`.
 *
 * @throws {GloError} with every issue found. An unsupported version is the only reported issue, because the
 * rest of such a document cannot be interpreted.
 */
export function parseGlo(input: unknown, options: GloParseOptions = {}): Glo {
  const { pointer = '', target, technologies = specifiedTechnologies } = options;
  if (!isObject(input)) {
    const hint = typeof input === 'string' ? '; parse its JSON first' : '';
    throw toError([invalid(pointer, `must be an object, not ${kindOf(input)}${hint}`)]);
  }
  const version = readMember(input, 'version');
  if (typeof version === 'string' && !readableVersion.test(version)) {
    throw toError([unsupportedVersion(toPointer(pointer, ['version']), version)]);
  }
  const { meta, problems, alone, secretLength } = readMeta(input, pointer, technologies, target);
  const tooLarge = [...boundProblems(input, pointer, secretLength), ...alone];
  if (tooLarge.length > 0) throw toError(tooLarge);

  const rules = target === undefined ? problems : [...targetProblems(input, pointer, target), ...problems];
  if (version === undefined) {
    if (readMember(input, 'params') !== undefined) {
      return toCallGlo(check(readGatewayForm, input, pointer, rules).params, meta);
    }
    if (hasOlderOptions(readMember(input, 'options'))) {
      return toCallGlo(check(readCloudWalletForm, input, pointer, rules).options, meta);
    }
  }
  // One call per type keeps the schema's result and the type together.
  switch (readMember(input, 'type')) {
    case 'transfer':
      return toGlo(check(readTransfer, input, pointer, rules), meta);
    case 'contract_call':
      return toGlo(check(readCall, input, pointer, rules), meta);
    case 'contract_deploy':
      return toGlo(check(readDeploy, input, pointer, rules), meta);
    default: {
      const found = untypedGloSchema.safeParse(input).error?.issues ?? [];
      throw toError([...schemaProblems(found, input, pointer), ...rules]);
    }
  }
}

/** Applies a schema; throws the problems found by it and the rules. */
export function check<Output>(
  read: SchemaReader<Output>,
  input: unknown,
  pointer: string,
  rules: readonly Problem[],
): Output {
  const result = read(input);
  if (!result.success) throw toError([...schemaProblems(result.error.issues, input, pointer), ...rules]);
  if (rules.length > 0) throw toError(rules);
  return result.data;
}

function hasOlderOptions(options: unknown): boolean {
  return (
    readMember(options, 'contractInstance') !== undefined || readMember(options, 'methodName') !== undefined
  );
}
