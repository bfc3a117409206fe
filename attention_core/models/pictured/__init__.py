"""A text with pictures as a vision-language model reads it: prepared by the model's own processor, its places found.

The processor is made of the folder's settings as data (`processor`), a chat template is rendered in a process of its
own (`chat`), and what the processor hands over says where each patch stands among the tokens (`places`).
"""
