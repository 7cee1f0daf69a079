'use strict';

const shim = require('fabric-shim');

/** Bytes in, bytes out: what fabric-contract-api, which speaks JSON, cannot answer. */
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

  /** The stored bytes as they are. */
  async doget(stub, key) {
    return shim.success(await stub.getState(key.toString()));
  }

  /** Bytes that are no UTF-8 text. */
  async dobytes() {
    return shim.success(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]));
  }

  /** Answers this status, which is neither success nor failure by itself. */
  async dostatus(_stub, status, message) {
    return { status: Number(status), message: message.toString(), payload: Buffer.from('payload') };
  }

  /** Ends the process in the middle of the call. */
  async dopanic() {
    process.exit(2);
  }

  /** Fails where nothing catches it: fabric-shim only logs that, and the peer waits in vain. */
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
