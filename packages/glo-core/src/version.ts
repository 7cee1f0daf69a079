/** The version that this package writes. */
export const currentGloVersion = '0.1.0';

/** Versions that this package reads. */
export const readableVersion: RegExp = /^0\.1\.(?:0|[1-9][0-9]{0,8})$/;
