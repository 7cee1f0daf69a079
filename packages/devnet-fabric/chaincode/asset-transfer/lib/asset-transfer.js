'use strict';

const { createHash, timingSafeEqual } = require('node:crypto');
const { Contract } = require('fabric-contract-api');

/** Assets with an owner. An asset is stored as JSON with sorted members, so that every peer writes the same bytes. */
class AssetTransfer extends Contract {
  constructor() {
    super('AssetTransfer');
  }

  async CreateAsset(ctx, id, color, size, owner, appraisedValue) {
    if (await this.AssetExists(ctx, id)) throw new Error(`The asset ${id} already exists`);
    return await write(ctx, {
      ID: id,
      Color: color,
      Size: size,
      Owner: owner,
      AppraisedValue: appraisedValue,
    });
  }

  async ReadAsset(ctx, id) {
    return await read(ctx, id);
  }

  async UpdateAsset(ctx, id, color, size, owner, appraisedValue) {
    const asset = await read(ctx, id);
    return await write(ctx, {
      ...asset,
      Color: color,
      Size: size,
      Owner: owner,
      AppraisedValue: appraisedValue,
    });
  }

  async DeleteAsset(ctx, id) {
    await read(ctx, id);
    await ctx.stub.deleteState(id);
  }

  async AssetExists(ctx, id) {
    const bytes = await ctx.stub.getState(id);
    return bytes.length > 0;
  }

  /** Transfers the asset, returns its former owner, and emits `AssetTransferred`. */
  async TransferAsset(ctx, id, newOwner) {
    const asset = await read(ctx, id);
    const former = asset.Owner;
    await write(ctx, { ...asset, Owner: newOwner });
    ctx.stub.setEvent(
      'AssetTransferred',
      Buffer.from(JSON.stringify({ ID: id, from: former, to: newOwner })),
    );
    return former;
  }

  async GetAllAssets(ctx) {
    const assets = [];
    for await (const { value } of ctx.stub.getStateByRange('', '')) assets.push(JSON.parse(value.toString()));
    return assets;
  }

  /** Returns one page of assets and the bookmark of the next page. */
  async GetAssetsPage(ctx, pageSize, bookmark) {
    const { iterator, metadata } = await ctx.stub.getStateByRangeWithPagination('', '', pageSize, bookmark);
    const assets = [];
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      assets.push(JSON.parse(next.value.value.toString()));
    await iterator.close();
    return { assets, bookmark: metadata.bookmark };
  }

  /** Returns the changes of the asset, newest first. */
  async GetAssetHistory(ctx, id) {
    const changes = [];
    for await (const change of ctx.stub.getHistoryForKey(id))
      changes.push({
        txId: change.txId,
        time: new Date(Number(change.timestamp.seconds) * 1000 + change.timestamp.nanos / 1e6).toISOString(),
        deleted: change.isDelete,
        ...(change.isDelete ? {} : { asset: JSON.parse(change.value.toString()) }),
      });
    return changes;
  }

  /**
   * Records a confidential appraisal. Only the SHA-256 of the transient entry `appraisal` is stored on the
   * ledger, and returned.
   */
  async AppraiseAsset(ctx, id) {
    const asset = await read(ctx, id);
    const { AppraisalHash } = await write(ctx, { ...asset, AppraisalHash: sha256(appraisal(ctx)) });
    return AppraisalHash;
  }

  /** Whether the transient entry `appraisal` matches the stored appraisal hash. */
  async VerifyAppraisal(ctx, id) {
    const asset = await read(ctx, id);
    if (asset.AppraisalHash === undefined) throw new Error(`The asset ${id} has not been appraised`);
    return timingSafeEqual(Buffer.from(asset.AppraisalHash), Buffer.from(sha256(appraisal(ctx))));
  }

  /** Returns the caller's identity as chaincode sees it. */
  async WhoAmI(ctx) {
    return { mspId: ctx.clientIdentity.getMSPID(), id: ctx.clientIdentity.getID() };
  }
}

async function read(ctx, id) {
  const bytes = await ctx.stub.getState(id);
  if (bytes.length === 0) throw new Error(`The asset ${id} does not exist`);
  return JSON.parse(bytes.toString());
}

async function write(ctx, asset) {
  const sorted = Object.fromEntries(Object.entries(asset).sort(([a], [b]) => (a < b ? -1 : 1)));
  await ctx.stub.putState(asset.ID, Buffer.from(JSON.stringify(sorted)));
  return sorted;
}

function appraisal(ctx) {
  const bytes = ctx.stub.getTransient().get('appraisal');
  if (bytes === undefined) throw new Error('The transient entry "appraisal" is missing');
  return bytes;
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

module.exports.AssetTransfer = AssetTransfer;
