// The X.509 library's decorators require this import before the library itself.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
