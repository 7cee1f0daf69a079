/** A string field. Reading a string blocks the event loop for a few milliseconds per megabyte. */
const text = 'text';

/**
 * The strings and submessages of a protobuf message, by field number. A bytes field that holds a message
 * counts as a submessage. Key 0 marks a map entry: an entry with any field that is not listed here is
 * rejected.
 */
export interface MessageShape {
  [number: number]: MessageShape | typeof text;
}

/**
 * Maximum number of fields of one message with all its submessages. A block has at most a few thousand
 * transactions.
 */
const mostFields = 50_000;
/** Maximum number of fields of one transaction, or of a channel's configuration. */
export const fewFields = 10_000;
const mostTextBytes = 2 ** 20;
const deepest = 32;

/** The message has more fields, longer strings or more levels than any valid message. */
class TooManyFields extends Error {
  override readonly name = 'TooManyFields';
}

/**
 * Counts the fields of a message before it is deserialized, because a field of two bytes takes far more time
 * to deserialize than its size suggests. Ignores bytes that are not a message, because the deserializer
 * rejects them.
 * @throws TooManyFields
 */
export function demandFewFields(bytes: Uint8Array, shape: MessageShape, most = mostFields): void {
  new FieldCounter(bytes, most).count(0, bytes.length, shape, 0);
}

class FieldCounter {
  readonly #bytes: Uint8Array;
  readonly #most: number;
  #at = 0;
  #fields = 0;
  #textBytes = 0;

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes;
    this.#most = most;
  }

  count(start: number, end: number, shape: MessageShape, level: number): void {
    if (level > deepest) throw new TooManyFields(`A message has more than ${deepest} levels.`);
    this.#at = start;
    while (this.#at < end) {
      this.#fields += 1;
      if (this.#fields > this.#most) throw new TooManyFields(`A message has more than ${this.#most} fields.`);
      const tag = this.#varint(end);
      const nested = shape[Math.floor(tag / 8)];
      if (nested === undefined && shape[0] !== undefined)
        throw new TooManyFields('A map entry has members other than a name and a value.');
      switch (tag % 8) {
        case 0:
          this.#varint(end);
          break;
        case 1:
          this.#at += 8;
          break;
        case 2: {
          const length = this.#varint(end);
          const from = this.#at;
          const to = Math.min(end, from + length);
          if (nested === text) this.#countText(to - from);
          else if (nested !== undefined) this.count(from, to, nested, level + 1);
          this.#at = to;
          break;
        }
        case 5:
          this.#at += 4;
          break;
        default:
          // Fabric's messages have no groups, and the deserializer rejects them.
          return;
      }
    }
  }

  #countText(length: number): void {
    this.#textBytes += length;
    if (this.#textBytes > mostTextBytes)
      throw new TooManyFields(`A message has strings of more than ${mostTextBytes} bytes.`);
  }

  #varint(end: number): number {
    let value = 0;
    let factor = 1;
    while (this.#at < end) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
      factor *= 128;
    }
    return value;
  }
}

/** Returns an entry of a map with strings as names. */
const entryOf = (value: MessageShape): MessageShape => ({ 0: {}, 1: text, 2: value });
/** `peer.Response`. */
const responseShape: MessageShape = { 2: text };
/** `peer.ChaincodeEvent`, and its `peer.ChaincodeID`. */
const eventShape: MessageShape = { 1: text, 2: text, 3: text };
const chaincodeIdShape: MessageShape = { 1: text, 2: text, 3: text };
/** `common.Block`: header, data and metadata. */
export const blockShape: MessageShape = { 1: {}, 2: {}, 3: {} };
/** `peer.FilteredBlock`: transactions, their actions, the chaincode actions and their event. */
const filteredBlockShape: MessageShape = { 1: text, 4: { 1: text, 4: { 1: { 1: eventShape } } } };
/** `peer.DeliverResponse`, as in event streams. */
export const deliverShape: MessageShape = { 2: blockShape, 3: filteredBlockShape };
/** The combined shape of `peer.ProposalResponse`, `gateway.EvaluateResponse` and `gateway.EndorseResponse`. */
export const answerShape: MessageShape = { 1: responseShape, 4: responseShape, 6: {} };
/** `google.rpc.Status` of details that are `gateway.ErrorDetail`. */
export const statusShape: MessageShape = { 2: text, 3: { 1: text, 2: { 1: text, 2: text, 3: text } } };
/** `common.Payload` with `common.Header`, its `common.ChannelHeader` and `common.SignatureHeader` with the `msp.SerializedIdentity`. */
export const payloadShape: MessageShape = { 1: { 1: { 3: {}, 4: text, 5: text }, 2: { 1: { 1: text } } } };
/** `peer.ChaincodeAction`. */
const chaincodeActionShape: MessageShape = { 2: eventShape, 3: responseShape, 4: chaincodeIdShape };
/**
 * `peer.Transaction`: actions, each with its `peer.ChaincodeActionPayload`, the proposal's
 * `peer.ChaincodeInput`, whose arguments are any bytes, and the endorsed action.
 */
export const transactionShape: MessageShape = {
  1: {
    2: {
      1: { 1: { 1: { 2: chaincodeIdShape, 3: {} } } },
      2: { 1: { 2: chaincodeActionShape }, 2: { 1: { 1: text } } },
    },
  },
};
/** `common.SignaturePolicyEnvelope`, whose rules have rules. */
const ruleShape: MessageShape = {};
ruleShape[2] = { 2: ruleShape };
const policyShape: MessageShape = { 2: ruleShape, 3: {} };
/** `protos.CollectionConfigPackage`. */
const collectionsShape: MessageShape = {
  1: { 1: { 1: text, 2: { 1: policyShape }, 8: { 1: policyShape, 2: text } } },
};
/** `lifecycle.QueryChaincodeDefinitionResult` with the approvals by organization. */
export const definitionShape: MessageShape = {
  2: text,
  3: text,
  4: text,
  6: collectionsShape,
  8: { 1: text },
};
/** `lifecycle.QueryApprovedChaincodeDefinitionResult` with the source of the package. */
export const approvedDefinitionShape: MessageShape = {
  ...definitionShape,
  8: { 1: {}, 2: { 1: text } },
};
/** `lifecycle.CheckCommitReadinessResult`: approvals and mismatches by organization. */
export const readinessShape: MessageShape = { 1: entryOf({}), 2: entryOf({ 1: text }) };
/** `msp.FabricMSPConfig`. */
const unitShape: MessageShape = { 2: text };
const memberShape: MessageShape = {
  ...{ 1: text, 6: {}, 7: unitShape, 8: { 1: text, 2: text } },
  11: { 2: unitShape, 3: unitShape, 4: unitShape, 5: unitShape },
};
/** `common.ConfigGroup`: groups, values with the configuration of a member organization, and policies. */
const groupShape: MessageShape = {
  3: entryOf({ 2: { 2: memberShape }, 3: text }),
  4: entryOf({ 2: {}, 3: text }),
  5: text,
};
groupShape[2] = entryOf(groupShape);
/** `common.Envelope` of a configuration block. */
export const configEnvelopeShape: MessageShape = { 1: { ...payloadShape, 2: { 1: { 2: groupShape } } } };
