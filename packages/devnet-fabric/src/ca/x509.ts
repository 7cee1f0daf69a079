// The library's decorators need this first, wherever the library is loaded from.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
