'use strict';

const shim = require('fabric-shim');

/** Reads and returns raw bytes, which fabric-contract-api cannot do because it encodes results as JSON. */
class Raw {
  async Init() {
    return shim.success();
  }

  async Invoke(stub) {
    const [name, ...args] = stub.getBufferArgs().map((one) => Buffer.from(one));
    const run = this[`do${name}`];
    if (run === undefined) return shim.error(`Unknown function ${name}`);
    return await run.call(this, stub, ...args);
  }

  /** Stores the bytes under the key. */
  async doput(stub, key, value) {
    await stub.putState(key.toString(), value);
    return shim.success();
  }

  /** Returns the stored bytes unchanged. */
  async doget(stub, key) {
    return shim.success(await stub.getState(key.toString()));
  }

  /** Returns bytes that are not valid UTF-8. */
  async dobytes() {
    return shim.success(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]));
  }

  /** Returns the given status, for tests of statuses that are neither success nor failure. */
  async dostatus(_stub, status, message) {
    return { status: Number(status), message: message.toString(), payload: Buffer.from('payload') };
  }

  /** Ends the process during the call. */
  async dopanic() {
    process.exit(2);
  }

  /**
   * Throws an error that nothing catches: fabric-shim only logs it, and the peer waits until its timeout.
   */
  async dothrow() {
    throw new Error('thrown on request');
  }
}

const server = shim.server(new Raw(), {
  ccid: process.env.CHAINCODE_ID ?? '',
  address: process.env.CHAINCODE_SERVER_ADDRESS ?? '',
});
server.start().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
