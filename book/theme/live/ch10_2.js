// The live figures of this page.
export const figures = {};
