import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';

/** Signs for the orderer: creates `SignatureHeader` bytes, and signs data. */
export interface BlockSigner {
  signatureHeader(): Uint8Array;
  sign(data: Uint8Array): Uint8Array;
}

/** Creates a block of envelopes, signed by the orderer, with the hash of the previous block. */
export function makeBlock(
  number: number,
  previousHash: Uint8Array,
  envelopes: readonly Uint8Array[],
  lastConfig: number,
  signer: BlockSigner,
): common.Block {
  const header = new common.BlockHeader();
  header.setNumber(number);
  header.setPreviousHash(previousHash);
  header.setDataHash(dataHash(envelopes));
  const data = new common.BlockData();
  data.setDataList([...envelopes]);
  const block = new common.Block();
  block.setHeader(header);
  block.setData(data);
  block.setMetadata(metadata(header, lastConfig, signer));
  return block;
}

/** SHA-256 of the concatenated envelopes. */
export function dataHash(envelopes: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const envelope of envelopes) hash.update(envelope);
  return hash.digest();
}

/** Returns a block's hash, which the next block contains: SHA-256 of {@link headerBytes}. */
export function blockHash(header: common.BlockHeader): Uint8Array {
  return createHash('sha256').update(headerBytes(header)).digest();
}

/** Returns the bytes that are hashed and signed: the ASN.1 sequence of number, previous hash and data hash. */
function headerBytes(header: common.BlockHeader): Uint8Array {
  let number = BigInt(header.getNumber()).toString(16);
  if (number.length % 2 === 1) number = `0${number}`;
  if (/^[89a-f]/.test(number)) number = `00${number}`;
  const body = Buffer.concat([
    der(2, Buffer.from(number, 'hex')),
    der(4, header.getPreviousHash_asU8()),
    der(4, header.getDataHash_asU8()),
  ]);
  return der(0x30, body);
}

/** Sets the validation codes, one byte per transaction, in the block's metadata. */
export function setValidationCodes(block: common.Block, codes: readonly number[]): void {
  const entries = block.getMetadata()?.getMetadataList();
  if (entries === undefined) return;
  entries[common.BlockMetadataIndex.TRANSACTIONS_FILTER] = Uint8Array.from(codes);
  block.getMetadata()?.setMetadataList(entries);
}

/** Returns the number of the last configuration block, up to and including this block. */
export function lastConfigOf(block: common.Block): number {
  const bytes = block.getMetadata()?.getMetadataList_asU8()[common.BlockMetadataIndex.LAST_CONFIG];
  const value = common.Metadata.deserializeBinary(bytes ?? new Uint8Array()).getValue_asU8();
  return common.LastConfig.deserializeBinary(value).getIndex();
}

function metadata(header: common.BlockHeader, lastConfig: number, signer: BlockSigner): common.BlockMetadata {
  const last = new common.LastConfig();
  last.setIndex(lastConfig);
  const orderer = new common.OrdererBlockMetadata();
  orderer.setLastConfig(last);
  const value = orderer.serializeBinary();
  const signed = new common.Metadata();
  signed.setValue(value);
  const signature = new common.MetadataSignature();
  const signatureHeader = signer.signatureHeader();
  signature.setSignatureHeader(signatureHeader);
  signature.setSignature(signer.sign(Buffer.concat([value, signatureHeader, headerBytes(header)])));
  signed.addSignatures(signature);
  const lastConfigMetadata = new common.Metadata();
  lastConfigMetadata.setValue(last.serializeBinary());
  const result = new common.BlockMetadata();
  // SIGNATURES, LAST_CONFIG, TRANSACTIONS_FILTER, ORDERER, COMMIT_HASH
  result.setMetadataList([
    signed.serializeBinary(),
    lastConfigMetadata.serializeBinary(),
    new Uint8Array(),
    new Uint8Array(),
    new Uint8Array(),
  ]);
  return result;
}

function der(tag: number, body: Uint8Array): Buffer {
  const length = body.length < 0x80 ? [body.length] : [0x81, body.length];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
