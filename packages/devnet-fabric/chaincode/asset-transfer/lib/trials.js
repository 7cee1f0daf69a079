'use strict';

const { createHash, randomUUID } = require('node:crypto');
const { Contract } = require('fabric-contract-api');

/** Fails on request, in the ways that real chaincode fails. */
class Trials extends Contract {
  constructor() {
    super('Trials');
  }

  async Fail(_ctx, message) {
    throw new Error(message);
  }

  /** Ends the process during the call. An exception would be caught by fabric-shim. */
  async Panic(_ctx) {
    process.exit(2);
  }

  /** Never responds. */
  async Hang(_ctx) {
    await new Promise(() => undefined);
  }

  /** Responds after the given number of milliseconds. */
  async Wait(_ctx, milliseconds) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return milliseconds;
  }

  /** Writes and returns a different value on each peer, so that endorsements do not match. */
  async Mismatch(ctx, key) {
    const value = randomUUID();
    await ctx.stub.putState(key, Buffer.from(value));
    return value;
  }

  /** Increments a counter. If two calls are in one block, the second is invalid (MVCC_READ_CONFLICT). */
  async Count(ctx, key) {
    const value = Number((await ctx.stub.getState(key)).toString() || '0') + 1;
    await ctx.stub.putState(key, Buffer.from(String(value)));
    return value;
  }

  async Put(ctx, key, value) {
    await ctx.stub.putState(key, Buffer.from(value));
  }

  async Get(ctx, key) {
    return (await ctx.stub.getState(key)).toString();
  }

  /** Stores only the SHA-256 of the transient entries, sorted by name, under the key. Returns the hash. */
  async Seal(ctx, key) {
    const entries = [...ctx.stub.getTransient()].sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) throw new Error('There are no transient entries');
    const hash = createHash('sha256');
    for (const [name, bytes] of entries) hash.update(`${name}:${bytes.length}:`).update(bytes);
    const seal = hash.digest('hex');
    await ctx.stub.putState(key, Buffer.from(seal));
    return seal;
  }

  /**
   * Calls a function of another chaincode. An empty channel means this channel; `input` is a JSON array.
   * Returns the payload as a string.
   */
  async Call(ctx, chaincode, channel, input) {
    const answer = await ctx.stub.invokeChaincode(chaincode, JSON.parse(input), channel);
    if (answer.status !== 200) throw new Error(`${chaincode} answered ${answer.status}: ${answer.message}`);
    return answer.payload.toString();
  }

  /** Runs a rich query, which requires CouchDB. */
  async RichQuery(ctx, query) {
    const rows = [];
    for await (const { key } of ctx.stub.getQueryResult(query)) rows.push(key);
    return rows;
  }

  /** Reads from a private data collection. */
  async PrivateData(ctx, collection, key) {
    return (await ctx.stub.getPrivateData(collection, key)).toString();
  }
}

module.exports.Trials = Trials;
