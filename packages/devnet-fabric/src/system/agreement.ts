import { peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';
import type { Simulation } from '../ledger/simulation.ts';
import { approvalKey, definitionKey, lifecycleNamespace } from './definitions.ts';

const { lifecycle } = peer;

/** An error that the lifecycle returns with status 404. */
export class NotFoundError extends DevnetError {}

export interface AgreementContext {
  channel: string;
  organizations: readonly string[];
  /** Policy of definitions that have none. */
  defaultPolicy: Uint8Array;
}

/** The fields common to the messages for approval, readiness, commit and query. */
interface Parameters {
  getName(): string;
  getSequence(): number;
  getVersion(): string;
  getEndorsementPlugin(): string;
  getValidationPlugin(): string;
  getValidationParameter_asU8(): Uint8Array;
  getCollections(): peer.CollectionConfigPackage | undefined;
  getInitRequired(): boolean;
}

interface Target {
  setSequence(value: number): void;
  setVersion(value: string): void;
  setEndorsementPlugin(value: string): void;
  setValidationPlugin(value: string): void;
  setValidationParameter(value: Uint8Array): void;
  setCollections(value?: peer.CollectionConfigPackage): void;
  setInitRequired(value: boolean): void;
}

const names = /^[a-zA-Z0-9]+([-_][a-zA-Z0-9]+)*$/;
const versions = /^[A-Za-z0-9_.+-]+$/;
const reserved: readonly string[] = ['cscc', 'escc', 'lscc', 'qscc', 'vscc'];

/**
 * Stores an organization's approval of a definition.
 * @throws DevnetError with a peer's message if it is rejected
 */
export function approve(
  args: peer.lifecycle.ApproveChaincodeDefinitionForMyOrgArgs,
  mspId: string,
  simulation: Simulation,
  context: AgreementContext,
): void {
  checkInput(args);
  const name = args.getName();
  const sequence = args.getSequence();
  const current = currentSequence(name, simulation);
  if (sequence === 0 && current === 0)
    throw new DevnetError('requested sequence is 0, but first definable sequence number is 1');
  if (sequence < current)
    throw new DevnetError(
      `currently defined sequence ${current} is larger than requested sequence ${sequence}`,
    );
  if (sequence > current + 1)
    throw new DevnetError(
      `requested sequence ${sequence} is larger than the next available sequence number ${current + 1}`,
    );
  const approved = new lifecycle.ApproveChaincodeDefinitionForMyOrgArgs();
  approved.setName(name);
  copy(args, approved, context);
  approved.setSource(args.getSource());
  if (sequence === current) {
    const difference = differs(committed(name, simulation) ?? approved, approved);
    if (difference !== undefined)
      throw new DevnetError(
        `attempted to redefine the current committed sequence (${current}) for namespace ${name} with different parameters: ${difference}`,
      );
  } else {
    const former = approval(mspId, name, sequence, simulation);
    if (former !== undefined && Buffer.from(former.serializeBinary()).equals(approved.serializeBinary()))
      throw new DevnetError(
        `attempted to redefine uncommitted sequence (${sequence}) for namespace ${name} with unchanged content`,
      );
  }
  simulation.putState(lifecycleNamespace, approvalKey(mspId, name, sequence), approved.serializeBinary());
}

/**
 * Returns for each organization whether it has approved exactly this definition.
 * @throws DevnetError unless the sequence is the next one
 */
export function readiness(
  args: Parameters,
  simulation: Simulation,
  context: AgreementContext,
): Map<string, boolean> {
  const current = currentSequence(args.getName(), simulation);
  if (args.getSequence() !== current + 1)
    throw new DevnetError(
      `requested sequence is ${args.getSequence()}, but new definition must be sequence ${current + 1}`,
    );
  return approvalsOf(withDefaults(args, context), simulation, context);
}

/**
 * Stores the channel's definition.
 * @throws DevnetError if the peer's own organization has not approved it
 */
export function commit(
  args: peer.lifecycle.CommitChaincodeDefinitionArgs,
  mspId: string,
  simulation: Simulation,
  context: AgreementContext,
): void {
  checkInput(args);
  const approvals = readiness(args, simulation, context);
  const definition = withDefaults(args, context);
  simulation.putState(lifecycleNamespace, definitionKey(args.getName()), definition.serializeBinary());
  if (approvals.get(mspId) !== true)
    throw new DevnetError(`chaincode definition not agreed to by this org (${mspId})`);
}

/**
 * Returns an approval; sequence 0 means the latest.
 * @throws DevnetError if the organization has approved none
 */
export function queryApproved(
  args: peer.lifecycle.QueryApprovedChaincodeDefinitionArgs,
  mspId: string,
  simulation: Simulation,
  { channel }: AgreementContext,
): peer.lifecycle.QueryApprovedChaincodeDefinitionResult {
  const name = args.getName();
  const current = currentSequence(name, simulation);
  const found =
    args.getSequence() > 0
      ? approval(mspId, name, args.getSequence(), simulation)
      : (approval(mspId, name, current + 1, simulation) ?? approval(mspId, name, current, simulation));
  if (found === undefined)
    throw new DevnetError(
      `could not fetch approved chaincode definition (name: '${name}', sequence: '${args.getSequence()}') on channel '${channel}'`,
    );
  const result = new lifecycle.QueryApprovedChaincodeDefinitionResult();
  writeCommitted(found, result);
  result.setSource(found.getSource());
  return result;
}

/**
 * Returns the committed definition, and who approved it.
 * @throws NotFoundError if the channel has no definition with this name
 */
export function queryDefinition(
  name: string,
  simulation: Simulation,
  context: AgreementContext,
): peer.lifecycle.QueryChaincodeDefinitionResult {
  const found = committed(name, simulation);
  if (found === undefined) throw new NotFoundError(`namespace ${name} is not defined`);
  const result = new lifecycle.QueryChaincodeDefinitionResult();
  writeCommitted(found, result);
  for (const [mspId, approved] of approvalsOf(found, simulation, context))
    result.getApprovalsMap().set(mspId, approved);
  return result;
}

/** Copies all fields of a definition except its name. */
export function writeCommitted(from: Parameters, to: Target): void {
  to.setSequence(from.getSequence());
  to.setVersion(from.getVersion());
  to.setEndorsementPlugin(from.getEndorsementPlugin());
  to.setValidationPlugin(from.getValidationPlugin());
  to.setValidationParameter(from.getValidationParameter_asU8());
  to.setCollections(from.getCollections());
  to.setInitRequired(from.getInitRequired());
}

/** Decodes an approval from the state. */
export function parseApproval(value: Uint8Array): peer.lifecycle.ApproveChaincodeDefinitionForMyOrgArgs {
  return lifecycle.ApproveChaincodeDefinitionForMyOrgArgs.deserializeBinary(value);
}

function approval(
  mspId: string,
  name: string,
  sequence: number,
  simulation: Simulation,
): peer.lifecycle.ApproveChaincodeDefinitionForMyOrgArgs | undefined {
  const value = simulation.getState(lifecycleNamespace, approvalKey(mspId, name, sequence));
  return value && parseApproval(value);
}

function committed(
  name: string,
  simulation: Simulation,
): peer.lifecycle.CommitChaincodeDefinitionArgs | undefined {
  const value = simulation.getState(lifecycleNamespace, definitionKey(name));
  return value && lifecycle.CommitChaincodeDefinitionArgs.deserializeBinary(value);
}

function currentSequence(name: string, simulation: Simulation): number {
  return committed(name, simulation)?.getSequence() ?? 0;
}

function approvalsOf(
  definition: Parameters,
  simulation: Simulation,
  { organizations }: AgreementContext,
): Map<string, boolean> {
  return new Map(
    organizations.map((mspId) => {
      const found = approval(mspId, definition.getName(), definition.getSequence(), simulation);
      return [mspId, found !== undefined && differs(found, definition) === undefined];
    }),
  );
}

function withDefaults(
  args: Parameters,
  context: AgreementContext,
): peer.lifecycle.CommitChaincodeDefinitionArgs {
  const definition = new lifecycle.CommitChaincodeDefinitionArgs();
  definition.setName(args.getName());
  copy(args, definition, context);
  return definition;
}

function copy(from: Parameters, to: Target, { defaultPolicy }: AgreementContext): void {
  writeCommitted(from, to);
  to.setEndorsementPlugin(from.getEndorsementPlugin() || 'escc');
  to.setValidationPlugin(from.getValidationPlugin() || 'vscc');
  const policy = from.getValidationParameter_asU8();
  to.setValidationParameter(policy.length === 0 ? defaultPolicy : policy);
}

/**
 * Returns a peer's error message for the first parameter that differs; undefined if the definitions match.
 */
function differs(expected: Parameters, passed: Parameters): string | undefined {
  const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');
  const compared: [string, string, string][] = [
    ['Version', expected.getVersion(), passed.getVersion()],
    ['EndorsementPlugin', expected.getEndorsementPlugin(), passed.getEndorsementPlugin()],
    ['InitRequired', String(expected.getInitRequired()), String(passed.getInitRequired())],
    ['ValidationPlugin', expected.getValidationPlugin(), passed.getValidationPlugin()],
    [
      'ValidationParameter',
      hex(expected.getValidationParameter_asU8()),
      hex(passed.getValidationParameter_asU8()),
    ],
  ];
  for (const [what, a, b] of compared)
    if (a !== b) return `expected ${what} '${a}' does not match passed ${what} '${b}'`;
  return undefined;
}

function checkInput(args: Parameters): void {
  const name = args.getName();
  const invalid = (why: string) => new DevnetError(`error validating chaincode definition: ${why}`);
  if (!names.test(name))
    throw invalid(
      `invalid chaincode name '${name}'. Names can only consist of alphanumerics, '_', and '-' and can only begin with alphanumerics`,
    );
  if (reserved.includes(name)) throw invalid(`chaincode name '${name}' is the name of a system chaincode`);
  if (!versions.test(args.getVersion()))
    throw invalid(
      `invalid chaincode version '${args.getVersion()}'. Versions can only consist of alphanumerics, '_', '-', '+', and '.'`,
    );
  if ((args.getCollections()?.getConfigList().length ?? 0) > 0)
    throw invalid('this network has no private data collections');
}
