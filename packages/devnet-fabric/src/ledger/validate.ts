import { common, peer } from '@hyperledger/fabric-protos';
import type { Membership } from '../identity/membership.ts';
import type { OwnSignatures } from '../identity/own-signatures.ts';
import { MalformedError, transactionId } from '../messages/proposal.ts';
import type { NamespaceSet } from '../messages/read-write-set.ts';
import { type EndorsedAction, headerChaincode, readAction, type Sealed } from '../messages/transaction.ts';
import { type EndorsementPolicy, majority } from '../policy/application-policy.ts';
import type { Signer } from '../policy/principals.ts';
import { approvalOwner, type Definitions, definitionKey, lifecycleNamespace } from '../system/definitions.ts';
import type { Chain } from './chain.ts';
import type { State } from './state.ts';

const code = peer.TxValidationCode;

export interface ValidationContext {
  channel: string;
  organizations: readonly string[];
  membership: Membership;
  own: OwnSignatures;
  chain: Chain;
  state: State;
  definitions: Definitions;
}

/** A transaction's validation code, and its action if it could be decoded. */
export interface Verdict {
  code: number;
  action?: EndorsedAction;
}

/**
 * The checks of a committing peer before conflict detection: format, signatures, id, endorsements.
 * @param verified whether the orderer already verified the creator's signature
 */
export function validate(sealed: Sealed, verified: boolean, context: ValidationContext): Verdict {
  const { channelHeader } = sealed;
  if (channelHeader.getEpoch() !== 0 || sealed.nonce.length === 0 || sealed.creator.length === 0)
    return { code: code.BAD_COMMON_HEADER };
  if (channelHeader.getType() !== common.HeaderType.ENDORSER_TRANSACTION)
    return { code: code.UNSUPPORTED_TX_PAYLOAD };
  const creator = context.membership.identify(sealed.creator);
  if (creator?.role === undefined || !(verified || creator.verify(sealed.payload, sealed.signature)))
    return { code: code.BAD_CREATOR_SIGNATURE };
  if (channelHeader.getTxId() !== transactionId(sealed.nonce, sealed.creator))
    return { code: code.BAD_PROPOSAL_TXID };
  const action = actionOf(sealed);
  if (action?.bound !== true) return { code: code.INVALID_ENDORSER_TRANSACTION };
  if (channelHeader.getChannelId() !== context.channel) return { code: code.TARGET_CHAIN_NOT_FOUND, action };
  if (context.chain.find(channelHeader.getTxId()) !== undefined) return { code: code.DUPLICATE_TXID, action };
  return { code: endorsementCode(sealed, action, context), action };
}

function endorsementCode(sealed: Sealed, action: EndorsedAction, context: ValidationContext): number {
  const named = headerName(sealed);
  if (named === undefined) return code.BAD_HEADER_EXTENSION;
  if (named === '' || named !== action.chaincode) return code.INVALID_CHAINCODE;
  const { sets, event } = action;
  if (sets === undefined) return code.BAD_RWSET;
  if (event !== undefined && event.getChaincodeId() !== named) return code.INVALID_OTHER_REASON;
  const written = new Map(sets.filter(({ writes }) => writes.length > 0).map((set) => [set.namespace, set]));
  if (new Set(sets.map(({ namespace }) => namespace)).size < sets.length) return code.ILLEGAL_WRITESET;
  const signers = endorsersOf(action, context);
  for (const namespace of new Set([named, ...written.keys()])) {
    const policy = policyFor(namespace, written.get(namespace), context);
    if (policy === undefined) return code.INVALID_CHAINCODE;
    if (!policy(signers)) return code.ENDORSEMENT_POLICY_FAILURE;
  }
  return code.VALID;
}

function policyFor(
  namespace: string,
  written: NamespaceSet | undefined,
  { definitions, state, organizations }: ValidationContext,
): EndorsementPolicy | undefined {
  if (namespace === lifecycleNamespace) {
    const owners = new Set(written?.writes.map(({ key }) => approvalOwner(key)));
    const [owner] = owners;
    return owners.size === 1 && owner !== undefined ? majority([owner]) : majority(organizations);
  }
  const found = state.get(lifecycleNamespace, definitionKey(namespace));
  return found && definitions.parse(namespace, found).policy;
}

/** Endorsers with a valid signature over the response. An invalid signature is ignored. */
function endorsersOf(action: EndorsedAction, { membership, own }: ValidationContext): Signer[] {
  const seen = new Set<string>();
  return action.endorsements.flatMap(({ endorser, signature }) => {
    const key = Buffer.from(endorser).toString('latin1');
    const member = seen.has(key) ? undefined : membership.identify(endorser);
    seen.add(key);
    if (member === undefined) return [];
    const signed = Buffer.concat([action.responsePayload, endorser]);
    return own.has(signed, signature) || member.verify(signed, signature)
      ? [{ mspId: member.mspId, role: member.role, serialized: endorser }]
      : [];
  });
}

function actionOf(sealed: Sealed): EndorsedAction | undefined {
  try {
    return readAction(sealed);
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

function headerName(sealed: Sealed): string | undefined {
  try {
    return headerChaincode(sealed.channelHeader) ?? '';
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}
