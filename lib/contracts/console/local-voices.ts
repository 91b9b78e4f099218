/** Names of model folders: what a model's name may be, without separators of paths. */
export const MODEL_FOLDER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
