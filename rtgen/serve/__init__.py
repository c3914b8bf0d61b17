"""An example of a server (extra `rtgen[serve]`): recorded generations, replayed in OpenAI's form."""
